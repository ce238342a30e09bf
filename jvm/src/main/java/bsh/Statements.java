package bsh;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;

/** A script of BeanShell, parsed once. It belongs to one interpreter. It is in this package since the tree is not open. */
public final class Statements {
    private final List<SimpleNode> nodes = new ArrayList<>();
    private final String source;
    private Interpreter local;

    private Statements(String source) {
        this.source = source;
    }

    /**
     * Parses a script.
     *
     * @return null if it cannot be parsed as a whole: the interpreter then runs it as far as it understands it
     */
    public static Statements of(String script) {
        // The interpreter ends a script so, and shows it so in its messages.
        String text = script.endsWith(";") ? script : script + ";";
        Statements statements = new Statements("inline evaluation of: ``" + shown(text) + "''");
        Parser parser = new Parser(new StringReader(text));
        try {
            while (!parser.Line()) {
                if (parser.jjtree.nodeArity() > 0) {
                    SimpleNode node = (SimpleNode) parser.jjtree.rootNode();
                    node.setSourceFile(statements.source);
                    statements.nodes.add(node);
                }
                parser.jjtree.reset();
            }
            return statements;
        } catch (ParseException | TokenMgrError e) {
            return null;
        }
    }

    private static String shown(String text) {
        String line = text.replace('\n', ' ').replace('\r', ' ');
        return line.length() > 80 ? line.substring(0, 80) + " . . . " : line;
    }

    /** Runs it in the interpreter's own name space, as {@code Interpreter.eval} does. */
    public Object run(Interpreter interpreter) throws EvalError {
        Interpreter local = localOf(interpreter);
        CallStack stack = new CallStack(local.globalNameSpace);
        Object value = null;
        for (SimpleNode node : nodes) {
            value = run(node, stack, local);
            if (value instanceof ReturnControl) {
                value = ((ReturnControl) value).value;
                break;
            }
        }
        return Primitive.unwrap(value);
    }

    /** The interpreter that one call of {@code eval} would have. To make one takes longer than most scripts, since it makes a parser. */
    private Interpreter localOf(Interpreter interpreter) {
        NameSpace space = interpreter.globalNameSpace;
        boolean fits = local != null && local.globalNameSpace == space && local.out == interpreter.out && local.err == interpreter.err;
        if (!fits) {
            local = new Interpreter(new StringReader(""), interpreter.out, interpreter.err, false, space, interpreter, source);
        }
        // A script may set this, for its own run.
        local.setStrictJava(interpreter.getStrictJava());
        return local;
    }

    private Object run(SimpleNode node, CallStack stack, Interpreter local) throws EvalError {
        String where = "Sourced file: " + source;
        try {
            return node.eval(stack, local);
        } catch (InterpreterError e) {
            throw new EvalError(where + " internal Error: " + e.getMessage(), node, stack);
        } catch (EvalError e) {
            if (e.getNode() == null) {
                e.setNode(node);
            }
            e.reThrow(where);
            throw e;
        } catch (Exception e) {
            throw new EvalError(where + " unknown error: " + e.getMessage(), node, stack);
        }
    }
}
