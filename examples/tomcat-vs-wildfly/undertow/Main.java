import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.servlet.Servlets;
import io.undertow.servlet.api.DeploymentInfo;
import io.undertow.servlet.api.DeploymentManager;
import jakarta.servlet.MultipartConfigElement;
import java.io.File;
import java.net.InetSocketAddress;

/** The shop in Undertow, the web server of WildFly; `threads` are its worker threads. */
public final class Main {
    public static void main(String[] args) throws Exception {
        String folder = System.getProperty("base");
        DeploymentInfo shop = Servlets.deployment()
            .setClassLoader(Main.class.getClassLoader()).setContextPath("/").setDeploymentName("shop").setTempDir(new File(folder))
            .addServlet(Servlets.servlet("shop", Shop.class).addMapping("/*").setMultipartConfig(new MultipartConfigElement(folder)));
        DeploymentManager manager = Servlets.defaultContainer().addDeployment(shop);
        manager.deploy();
        Undertow server = Undertow.builder()
            .addHttpListener(0, "127.0.0.1").setServerOption(UndertowOptions.ENABLE_HTTP2, false)
            .setWorkerThreads(Integer.getInteger("threads", 200)).setHandler(manager.start()).build();
        server.start();
        System.out.println("ready " + ((InetSocketAddress) server.getListenerInfo().get(0).getAddress()).getPort());
        Thread.currentThread().join();
    }
}
