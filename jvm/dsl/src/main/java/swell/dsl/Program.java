package swell.dsl;

import java.io.File;
import java.util.Map;
import java.util.regex.Pattern;

/** Finds the program {@code swell}. */
final class Program {
    private static final String HOW =
            ": set the environment variable SWELL to its path, put it on the PATH, or call SwellEngine.program(path)";

    private Program() {}

    /**
     * The path of the program.
     *
     * @param option path given to the engine, or null
     * @throws SwellException there is none
     */
    static String find(String option, Map<String, String> environment) throws SwellException {
        if (option != null) {
            return checked(option, "SwellEngine.program(path)");
        }
        String variable = environment.getOrDefault("SWELL", "");
        if (!variable.isEmpty()) {
            return checked(variable, "the environment variable SWELL");
        }
        for (String folder : environment.getOrDefault("PATH", "").split(Pattern.quote(File.pathSeparator))) {
            File file = new File(folder.isEmpty() ? "." : folder, "swell");
            if (file.isFile() && file.canExecute()) {
                return file.getAbsolutePath();
            }
        }
        throw missing("the program `swell` is not installed" + HOW);
    }

    private static String checked(String path, String source) throws SwellException {
        File file = new File(path);
        if (!file.isFile()) {
            throw missing("there is no program `" + path + "`, which " + source + " names");
        }
        if (!file.canExecute()) {
            throw missing("`" + path + "`, which " + source + " names, is not executable");
        }
        return file.getAbsolutePath();
    }

    private static SwellException missing(String message) {
        return new SwellException(SwellException.NOT_STARTED, message);
    }
}
