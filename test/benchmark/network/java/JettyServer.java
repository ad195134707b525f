import java.io.IOException;
import java.util.EnumSet;
import javax.servlet.DispatcherType;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.AbstractHandler;
import org.eclipse.jetty.servlet.FilterHolder;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.eclipse.jetty.servlets.QoSFilter;

/**
 * Jetty with its own defaults: eat-what-you-kill, and a pool of up to 200 threads. With an argument,
 * its QoSFilter: one request a processor is handled at a time, the others are suspended for so many
 * milliseconds at most and then get 503.
 */
public final class JettyServer {
    private static void answer(String path, HttpServletResponse response) throws IOException {
        byte[] body = Work.answer(path);
        if (body == null) {
            response.setStatus(HttpServletResponse.SC_NOT_FOUND);
            return;
        }
        response.setContentType("text/plain");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    private static Handler plain() {
        return new AbstractHandler() {
            @Override
            public void handle(String path, Request request, HttpServletRequest asked,
                    HttpServletResponse response) throws IOException {
                request.setHandled(true);
                answer(path, response);
            }
        };
    }

    private static Handler limited(String milliseconds) {
        ServletContextHandler handler = new ServletContextHandler();
        FilterHolder limit = handler.addFilter(
            QoSFilter.class, "/*", EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
        limit.setAsyncSupported(true);
        int processors = Runtime.getRuntime().availableProcessors();
        limit.setInitParameter("maxRequests", Integer.toString(processors));
        limit.setInitParameter("waitMs", "0");
        limit.setInitParameter("suspendMs", milliseconds);
        ServletHolder servlet = new ServletHolder(new HttpServlet() {
            @Override
            protected void doGet(HttpServletRequest request, HttpServletResponse response)
                    throws IOException {
                answer(request.getRequestURI(), response);
            }
        });
        servlet.setAsyncSupported(true);
        handler.addServlet(servlet, "/*");
        return handler;
    }

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
        server.setHandler(args.length == 0 ? plain() : limited(args[0]));
        server.start();
        System.out.println("listening on 127.0.0.1:" + connector.getLocalPort() + " (Jetty)");
        server.join();
    }
}
