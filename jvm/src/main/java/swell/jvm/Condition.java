package swell.jvm;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.apache.jmeter.control.IfController;
import org.apache.jmeter.engine.util.CompoundVariable;
import org.apache.jmeter.functions.AbstractFunction;
import org.apache.jmeter.functions.InvalidVariableException;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.samplers.Sampler;

/**
 * The condition of an If Controller as a function of it and the controller's name. Its JavaScript knows none of JMeter's variables, and what
 * goes wrong in it is logged and means {@code false}.
 */
final class Condition extends AbstractFunction {
    /** The name by which the other side knows it. */
    static final String NAME = "IfController";

    private static final MethodHandle EVALUATE;

    private CompoundVariable condition;
    private CompoundVariable name;

    static {
        try {
            EVALUATE = MethodHandles.privateLookupIn(IfController.class, MethodHandles.lookup()).findVirtual(
                    IfController.class, "evaluateCondition", MethodType.methodType(boolean.class, String.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @Override
    public String execute(SampleResult previous, Sampler current) throws InvalidVariableException {
        IfController controller = new IfController();
        controller.setName(name.execute());
        try {
            return Boolean.toString((boolean) EVALUATE.invokeExact(controller, condition.execute()));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void setParameters(Collection<CompoundVariable> parameters) throws InvalidVariableException {
        checkParameterCount(parameters, 2);
        CompoundVariable[] both = parameters.toArray(new CompoundVariable[0]);
        condition = both[0];
        name = both[1];
    }

    @Override
    public String getReferenceKey() {
        return NAME;
    }

    @Override
    public List<String> getArgumentDesc() {
        return Collections.emptyList();
    }
}
