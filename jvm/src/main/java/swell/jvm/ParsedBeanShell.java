package swell.jvm;

import bsh.EvalError;
import bsh.Interpreter;
import bsh.Statements;
import java.lang.invoke.VarHandle;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.util.BeanShellInterpreter;
import org.apache.jmeter.util.BeanShellTestElement;
import org.apache.jorphan.util.JMeterException;
import org.apache.jorphan.util.JOrphanUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The script of a BeanShell element, parsed once for the interpreter of that element ({@code BeanShellTestElement.processFileOrScript}). */
final class ParsedBeanShell {
    private static final Logger LOG = LoggerFactory.getLogger(BeanShellInterpreter.class);
    private static final VarHandle INSTANCE = PrivateFields.of(BeanShellInterpreter.class, "bshInstance", Object.class);

    private String text;
    private Statements statements;

    Object run(BeanShellTestElement element, BeanShellInterpreter bsh, SampleResult sample) throws JMeterException {
        String parameters = element.getParameters();
        bsh.set("FileName", element.getFilename());
        bsh.set("Parameters", parameters);
        bsh.set("bsh.args", JOrphanUtils.split(parameters, " "));
        String script = element.getScript();
        if (sample != null) {
            sample.setSamplerData(script);
        }
        if (!script.equals(text)) {
            statements = Statements.of(script);
            text = script;
        }
        return statements == null ? bsh.eval(script) : eval(bsh);
    }

    private Object eval(BeanShellInterpreter bsh) throws JMeterException {
        try {
            return statements.run((Interpreter) INSTANCE.get(bsh));
        } catch (EvalError | RuntimeException | Error e) {
            String message = "Error invoking bsh method: eval\t" + e.getLocalizedMessage();
            LOG.error(message);
            throw new JMeterException(message, e);
        }
    }
}
