package swell.jvm;

/** What a script asks of the engine. */
public final class Actions {
    /** {@code ctx.getThread().stop()}, {@code JMeterStopThreadException}. */
    public static final int STOP_THREAD = 1;
    /** {@code ctx.getEngine().askThreadsToStop()}, {@code JMeterStopTestException}. */
    public static final int STOP_TEST = 2;
    /** {@code ctx.getEngine().stopTest()}, {@code JMeterStopTestNowException}. */
    public static final int STOP_TEST_NOW = 4;

    private Actions() {
    }
}
