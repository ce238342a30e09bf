import java.io.FileOutputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import org.apache.jmeter.save.SaveService;
import org.apache.jmeter.util.JMeterUtils;
import org.apache.jorphan.collections.HashTree;

/** Loads plans and saves them as JMeter does: {@code SaveAgain HOME FOLDER PLAN...}. Prints the names of those that it could load. */
public class SaveAgain {
    public static void main(String[] args) throws Exception {
        JMeterUtils.setJMeterHome(args[0]);
        JMeterUtils.loadJMeterProperties(args[0] + "/bin/jmeter.properties");
        JMeterUtils.initLocale();
        SaveService.loadProperties();
        for (int i = 2; i < args.length; i++) {
            Path plan = Path.of(args[i]);
            HashTree tree;
            try {
                tree = SaveService.loadTree(plan.toFile());
            } catch (Exception needsPlugin) {
                continue;
            }
            try (OutputStream out = new FileOutputStream(Path.of(args[1]).resolve(plan.getFileName()).toFile())) {
                SaveService.saveTree(tree, out);
            }
            System.out.println(plan.getFileName());
        }
    }
}
