import jakarta.servlet.MultipartConfigElement;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** The shop in a Tomcat; `threads` is its maxThreads. */
public final class Main {
    public static void main(String[] args) throws Exception {
        String folder = System.getProperty("base");
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder);
        Connector connector = new Connector();
        connector.setPort(0);
        connector.setProperty("address", "127.0.0.1");
        connector.setProperty("maxThreads", System.getProperty("threads", "200"));
        connector.setProperty("acceptCount", "4096");
        connector.setProperty("maxKeepAliveRequests", "-1");
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", null);
        Wrapper servlet = Tomcat.addServlet(context, "shop", new Shop());
        servlet.setMultipartConfigElement(new MultipartConfigElement(folder));
        context.addServletMappingDecoded("/*", "shop");
        tomcat.start();
        System.out.println("ready " + connector.getLocalPort());
        tomcat.getServer().await();
    }
}
