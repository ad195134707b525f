import java.io.IOException;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.AbstractHandler;

/** Jetty with its own defaults: eat-what-you-kill, and a pool of up to 200 threads. */
public final class JettyServer {
    public static void main(String[] args) throws Exception {
        // Else it says on stderr how it starts.
        System.setProperty("org.eclipse.jetty.util.log.announce", "false");
        System.setProperty("org.eclipse.jetty.LEVEL", "WARN");
        // Our servers do not send these fields either.
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setSendDateHeader(false);

        Server server = new Server();
        ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(http));
        connector.setHost("127.0.0.1");
        connector.setIdleTimeout(0);
        server.addConnector(connector);
        server.setHandler(new AbstractHandler() {
            @Override
            public void handle(String path, Request request, HttpServletRequest asked,
                    HttpServletResponse response) throws IOException {
                request.setHandled(true);
                byte[] body = Work.answer(path);
                if (body == null) {
                    response.setStatus(HttpServletResponse.SC_NOT_FOUND);
                    return;
                }
                response.setContentType("text/plain");
                response.setContentLength(body.length);
                response.getOutputStream().write(body);
            }
        });
        server.start();
        System.out.println("listening on 127.0.0.1:" + connector.getLocalPort() + " (Jetty)");
        server.join();
    }
}
