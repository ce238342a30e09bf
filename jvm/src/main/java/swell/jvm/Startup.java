package swell.jvm;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.util.Properties;
import org.apache.jmeter.services.FileServer;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jmeter.util.JMeterUtils;

/** Makes JMeter's classes ready, as {@code org.apache.jmeter.JMeter} does before a run without windows. */
final class Startup {
    private Startup() {
    }

    /** Reads where JMeter is, levels of logs, system properties and properties. */
    static DeltaProps start(In in) throws IOException, ReflectiveOperationException {
        String home = in.string();
        String plan = in.string();
        boolean isTraced = in.flag();
        for (int count = in.count(); count > 0; count--) {
            Logs.setLevel(in.string(), in.string());
        }
        // Standard output is for Swell's data; what scripts print goes where its messages go.
        if (isTraced) {
            CallOutput.install();
        } else {
            System.setOut(System.err);
        }
        System.setProperty("JMeter.NonGui", "true");
        JMeterUtils.setJMeterHome(home);
        JMeterUtils.loadJMeterProperties(new File(home, "bin/jmeter.properties").getPath());
        Properties properties = JMeterUtils.getJMeterProperties();
        load(properties, new File(home, "bin/user.properties"));
        load(System.getProperties(), new File(home, "bin/system.properties"));
        for (int count = in.count(); count > 0; count--) {
            System.setProperty(in.string(), in.string());
        }
        DeltaProps delta = new DeltaProps(properties);
        delta.read(in);
        MethodHandles.privateLookupIn(JMeterUtils.class, MethodHandles.lookup())
                .findStaticVarHandle(JMeterUtils.class, "appProperties", Properties.class)
                .setVolatile(delta);
        JMeterUtils.initLocale();
        if (!plan.isEmpty()) {
            FileServer.getFileServer().closeFiles();
            FileServer.getFileServer().setBaseForScript(new File(plan));
        }
        JMeterContextService.startTest();
        return delta;
    }

    private static void load(Properties into, File file) throws IOException {
        if (file.isFile()) {
            try (FileInputStream in = new FileInputStream(file)) {
                into.load(in);
            }
        }
    }
}
