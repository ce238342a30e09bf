package swell.jvm;

import java.net.URI;
import org.apache.logging.log4j.message.MessageFactory;
import org.apache.logging.log4j.spi.ExtendedLogger;
import org.apache.logging.log4j.spi.LoggerContext;
import org.apache.logging.log4j.spi.LoggerContextFactory;
import org.apache.logging.log4j.spi.LoggerRegistry;

/**
 * Log4j's factory of loggers here (system property {@code log4j2.loggerContextFactory}). Log4j's own core takes half a second to
 * start and would write a separate log.
 */
public final class CallLoggers implements LoggerContextFactory, LoggerContext {
    private final LoggerRegistry<ExtendedLogger> loggers = new LoggerRegistry<>();

    @Override
    public LoggerContext getContext(String caller, ClassLoader loader, Object external, boolean current) {
        return this;
    }

    @Override
    public LoggerContext getContext(
            String caller, ClassLoader loader, Object external, boolean current, URI config, String name) {
        return this;
    }

    @Override
    public void removeContext(LoggerContext context) {
        // There is one for ever.
    }

    @Override
    public Object getExternalContext() {
        return null;
    }

    @Override
    public ExtendedLogger getLogger(String name) {
        return getLogger(name, null);
    }

    @Override
    public ExtendedLogger getLogger(String name, MessageFactory messages) {
        ExtendedLogger logger = loggers.getLogger(name, messages);
        if (logger == null) {
            loggers.putIfAbsent(name, messages, new CallLogger(name, messages));
            logger = loggers.getLogger(name, messages);
        }
        return logger;
    }

    @Override
    public boolean hasLogger(String name) {
        return loggers.hasLogger(name);
    }

    @Override
    public boolean hasLogger(String name, MessageFactory messages) {
        return loggers.hasLogger(name, messages);
    }

    @Override
    public boolean hasLogger(String name, Class<? extends MessageFactory> messages) {
        return loggers.hasLogger(name, messages);
    }
}
