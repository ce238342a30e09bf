package swell.jvm;

import java.util.regex.Pattern;

/** A script element of the plan, as the other side describes it. */
final class Script {
    private static final Pattern MENTIONS_SAMPLER = Pattern.compile("[sS]ampler|[bB]inding|evaluate|GroovyShell");

    static final int JSR223 = 0;
    static final int BEANSHELL = 1;
    static final int BSF = 2;

    static final int SAMPLER = 0;
    static final int PRE_PROCESSOR = 1;
    static final int POST_PROCESSOR = 2;
    static final int ASSERTION = 3;
    static final int LISTENER = 4;
    static final int TIMER = 5;

    final int number;
    final int family;
    final int role;
    /** The unchanged element of JMeter runs. */
    final boolean strict;
    final boolean resetInterpreter;
    final String cacheKey;
    final String language;
    final String label;
    final String text;
    final String file;
    final String parameters;

    Script(int number, In in) {
        this.number = number;
        family = in.u8();
        role = in.u8();
        int flags = in.u8();
        strict = (flags & 1) != 0;
        resetInterpreter = (flags & 2) != 0;
        language = in.string();
        label = in.string();
        text = in.string();
        file = in.string();
        parameters = in.string();
        cacheKey = in.string();
    }

    private Script(Script from, String label, String text, String file, String parameters) {
        number = from.number;
        family = from.family;
        role = from.role;
        strict = from.strict;
        resetInterpreter = from.resetInterpreter;
        language = from.language;
        cacheKey = from.cacheKey;
        this.label = label;
        this.text = text;
        this.file = file;
        this.parameters = parameters;
    }

    /** The same with the values that expressions in its fields have this time. */
    Script with(int mask, In in) {
        String newLabel = (mask & 1) == 0 ? label : in.string();
        String newText = (mask & 2) == 0 ? text : in.string();
        String newFile = (mask & 4) == 0 ? file : in.string();
        String newParameters = (mask & 8) == 0 ? parameters : in.string();
        return new Script(this, newLabel, newText, newFile, newParameters);
    }

    /** Its compiled class has no state, so one element serves all users; but a sampler may change itself. */
    boolean isShared() {
        return !strict && family == JSR223 && !(role == SAMPLER && mayMention(MENTIONS_SAMPLER));
    }

    /** Compiles it if it can be known now: that takes a second in a new JVM, which is not part of the script's time. */
    void prepare() {
        boolean isKnown = file.isEmpty() && !text.isEmpty() && !text.contains("${");
        if (strict || family != JSR223 || !isKnown || !DirectScript.GROOVY.contains(language)) {
            return;
        }
        try {
            DirectGroovy.of(text);
        } catch (Throwable e) {
            // The element reports it when it runs.
            return;
        }
    }

    private boolean mayMention(Pattern words) {
        return !file.isEmpty() || words.matcher(text).find();
    }
}
