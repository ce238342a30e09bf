package swell.jvm;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import groovy.lang.Binding;
import groovy.lang.MissingMethodException;
import groovy.lang.Script;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.script.Compilable;
import javax.script.ScriptException;
import org.apache.jmeter.util.JSR223TestElement;
import org.codehaus.groovy.jsr223.GroovyCompiledScript;
import org.codehaus.groovy.jsr223.GroovyScriptEngineImpl;

/**
 * A compiled Groovy script that runs without a script engine. As the engine does, it makes a new instance with new bindings for each
 * call; what it leaves out is the engine's memory of closures of other scripts, which no two calls of JMeter share.
 */
final class DirectGroovy {
    /** What can look at bindings, meta class or engine: such a script runs on the engine. */
    private static final Pattern LOOKS_AROUND = Pattern.compile(
            "[bB]inding|\\bevaluate\\b|\\bGroovyShell\\b|ScriptEngine|[mM]etaClass|\\bcontext\\b|Missing(?:\\w*Exception)?\\b|\\bEval\\b");
    private static final int KEPT = 1000;
    private static final Cache<String, DirectGroovy> COMPILED = Caffeine.newBuilder().maximumSize(KEPT).build();
    private static final VarHandle CLASS = PrivateFields.of(GroovyCompiledScript.class, "clasz", Class.class);

    private final Class<?> scriptClass;
    private final MethodHandle constructor;

    private DirectGroovy(Class<?> scriptClass) throws ReflectiveOperationException {
        this.scriptClass = scriptClass;
        constructor = MethodHandles.publicLookup()
                .findConstructor(scriptClass, MethodType.methodType(void.class))
                .asType(MethodType.methodType(Script.class));
    }

    /** The direct form of a script; null if it has none. */
    static DirectGroovy of(String text) throws ScriptException {
        if (LOOKS_AROUND.matcher(text).find()) {
            return null;
        }
        DirectGroovy known = COMPILED.getIfPresent(text);
        if (known != null) {
            return known;
        }
        Compilable engine = (Compilable) JSR223TestElement.getInstance().getEngineByName("groovy");
        if (!(engine instanceof GroovyScriptEngineImpl)) {
            return null;
        }
        Class<?> compiled = (Class<?>) CLASS.get((GroovyCompiledScript) engine.compile(text));
        if (!Script.class.isAssignableFrom(compiled)) {
            return null;
        }
        try {
            known = new DirectGroovy(compiled);
        } catch (ReflectiveOperationException e) {
            return null;
        }
        COMPILED.put(text, known);
        return known;
    }

    /** Forgets all scripts. */
    static void forget() {
        COMPILED.invalidateAll();
    }

    /** Runs it once. */
    Object run(Binding binding) throws Exception {
        try {
            Script script = (Script) constructor.invokeExact();
            script.setBinding(binding);
            return script.run();
        } catch (MissingMethodException e) {
            throw e.getType() == scriptClass && !hasMethod(e.getMethod()) ? asOfEngine(e) : e;
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new ScriptException(new Exception(e));
        }
    }

    /** Whether the script has a method of that name, with other parameters: Groovy then looks nowhere else. */
    private boolean hasMethod(String name) {
        Stream<Method> own = Arrays.stream(scriptClass.getDeclaredMethods());
        return Stream.concat(own, Arrays.stream(scriptClass.getMethods())).anyMatch(method -> method.getName().equals(name));
    }

    /** The engine looks for a missing method among closures of other scripts, and names itself when there is none. */
    private static MissingMethodException asOfEngine(MissingMethodException e) {
        return new MissingMethodException(e.getMethod(), GroovyScriptEngineImpl.class, e.getArguments());
    }
}
