package swell.jvm;

import java.util.Properties;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.Marker;
import org.apache.logging.log4j.message.Message;
import org.apache.logging.log4j.message.MessageFactory;
import org.apache.logging.log4j.simple.SimpleLogger;
import org.apache.logging.log4j.util.PropertiesUtil;

/** A logger of Log4j that hands its lines to {@link Logs}. */
final class CallLogger extends SimpleLogger {
    private static final long serialVersionUID = 1;
    private static final PropertiesUtil NO_PROPERTIES = new PropertiesUtil(new Properties());

    CallLogger(String name, MessageFactory messages) {
        super(name, Logs.levelOf(name), false, false, false, false, "", messages, NO_PROPERTIES, System.err);
    }

    @Override
    public void logMessage(String caller, Level level, Marker marker, Message message, Throwable thrown) {
        Throwable cause = thrown == null ? message.getThrowable() : thrown;
        Logs.add(new LogLine(numberOf(level), getName(), message.getFormattedMessage(), cause));
    }

    private static int numberOf(Level level) {
        if (level.isMoreSpecificThan(Level.ERROR)) {
            return 1;
        }
        if (level.isMoreSpecificThan(Level.WARN)) {
            return 2;
        }
        if (level.isMoreSpecificThan(Level.INFO)) {
            return 3;
        }
        return level.isMoreSpecificThan(Level.DEBUG) ? 4 : 5;
    }
}
