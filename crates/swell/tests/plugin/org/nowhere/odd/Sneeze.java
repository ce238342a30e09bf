package org.nowhere.odd;

import org.apache.jmeter.processor.PostProcessor;
import org.apache.jmeter.testelement.AbstractTestElement;

/** A post-processor whose exception has the name of an error, and whose error has not. */
public class Sneeze extends AbstractTestElement implements PostProcessor {
    private static final long serialVersionUID = 1;

    /** By its class an exception. */
    static class TissueError extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** By its class an error. */
    static class Failure extends Error {
        private static final long serialVersionUID = 1;
    }

    @Override
    public void process() {
        if (getPropertyAsBoolean("Sneeze.hard")) {
            throw new Failure();
        }
        throw new TissueError();
    }
}
