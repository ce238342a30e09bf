package swell.jvm;

import java.io.Reader;
import javax.script.AbstractScriptEngine;
import javax.script.Bindings;
import javax.script.ScriptContext;
import javax.script.ScriptEngineFactory;
import javax.script.SimpleBindings;

/** An engine that makes bindings and runs nothing. */
final class BindingsOnly extends AbstractScriptEngine {
    @Override
    public Bindings createBindings() {
        return new SimpleBindings();
    }

    @Override
    public Object eval(String script, ScriptContext context) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Object eval(Reader reader, ScriptContext context) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScriptEngineFactory getFactory() {
        return null;
    }
}
