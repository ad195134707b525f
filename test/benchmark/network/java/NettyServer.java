import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.NettyRuntime;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.RejectedExecutionHandlers;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

/**
 * Netty with its own defaults; what blocks goes to a pool of 16 threads, as its users are told. With
 * an argument, to executors of its own, a thread for each processor, where at most that many
 * milliseconds of requests that take one each wait; beyond, the client gets 503.
 */
public final class NettyServer {
    private static final class Handler extends SimpleChannelInboundHandler<Object> {
        private final Executor offload;

        Handler(Executor offload) {
            this.offload = offload;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, Object message) {
            if (!(message instanceof HttpRequest)) {
                return; // the end of a request, which has no body that matters
            }
            String path = ((HttpRequest) message).uri();
            boolean keepAlive = HttpUtil.isKeepAlive((HttpRequest) message);
            if (Work.isFast(path)) {
                answer(context, path, keepAlive);
            } else {
                try {
                    offload.execute(() -> answer(context, path, keepAlive));
                } catch (RejectedExecutionException full) {
                    answer(context, HttpResponseStatus.SERVICE_UNAVAILABLE, null, keepAlive);
                }
            }
        }

        private static void answer(ChannelHandlerContext context, String path, boolean keepAlive) {
            byte[] body = Work.answer(path);
            answer(context, body == null ? HttpResponseStatus.NOT_FOUND : HttpResponseStatus.OK,
                body, keepAlive);
        }

        private static void answer(ChannelHandlerContext context, HttpResponseStatus status,
                byte[] body, boolean keepAlive) {
            FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status,
                body == null ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(body));
            response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, "text/plain")
                .setInt(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
            ChannelFuture written = context.writeAndFlush(response);
            if (!keepAlive) {
                written.addListener(ChannelFutureListener.CLOSE);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    private static Executor bounded(int waiting) {
        return new DefaultEventExecutorGroup(NettyRuntime.availableProcessors(),
            new DefaultThreadFactory("offload"), waiting, RejectedExecutionHandlers.reject());
    }

    public static void main(String[] args) throws Exception {
        Executor offload = args.length == 0 ? Executors.newFixedThreadPool(16)
            : bounded(Integer.parseInt(args[0]));
        // Debian's package comes without the library of its native transport.
        boolean epoll = Epoll.isAvailable();
        EventLoopGroup boss = epoll ? new EpollEventLoopGroup(1) : new NioEventLoopGroup(1);
        EventLoopGroup workers = epoll ? new EpollEventLoopGroup() : new NioEventLoopGroup();
        Channel server = new ServerBootstrap()
            .group(boss, workers)
            .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, 4096)
            .childHandler(new ChannelInitializer<SocketChannel>() {
                @Override
                protected void initChannel(SocketChannel channel) {
                    channel.pipeline().addLast(new HttpServerCodec(), new Handler(offload));
                }
            })
            .bind("127.0.0.1", 0).sync().channel();
        System.out.println("listening on 127.0.0.1:"
            + ((InetSocketAddress) server.localAddress()).getPort()
            + (epoll ? " (Netty, epoll)" : " (Netty, NIO)"));
        server.closeFuture().sync();
    }
}
