package swell.jvm;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.jmeter.config.Argument;
import org.apache.jmeter.protocol.http.control.Cookie;
import org.apache.jmeter.protocol.http.control.CookieManager;
import org.apache.jmeter.protocol.http.control.Header;
import org.apache.jmeter.protocol.http.control.HeaderManager;
import org.apache.jmeter.protocol.http.sampler.HTTPSamplerBase;
import org.apache.jmeter.protocol.http.util.HTTPArgument;
import org.apache.jmeter.protocol.http.util.HTTPFileArg;
import org.apache.jmeter.samplers.Sampler;
import org.apache.jmeter.testbeans.TestBeanHelper;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.testelement.property.BooleanProperty;
import org.apache.jmeter.testelement.property.JMeterProperty;
import org.apache.jmeter.testelement.property.NumberProperty;
import org.apache.jmeter.testelement.property.PropertyIterator;
import org.apache.jmeter.testelement.property.StringProperty;

/** Samplers as messages: class, name, plain properties, and of HTTP samplers arguments and headers. */
final class Requests {
    private Requests() {
    }

    /** Makes the sampler that a message describes. */
    static Sampler read(In in) {
        Sampler sampler = make(in.string());
        sampler.setName(in.string());
        for (int count = in.count(); count > 0; count--) {
            sampler.setProperty(in.string(), in.string());
        }
        int arguments = in.count();
        if (sampler instanceof HTTPSamplerBase) {
            readHttp((HTTPSamplerBase) sampler, arguments, in);
        } else if (arguments + in.count() + in.u8() + in.u8() > 0) {
            throw new BadMessage("arguments, files or headers of a " + sampler.getClass().getName());
        }
        TestBeanHelper.prepare(sampler);
        return sampler;
    }

    private static Sampler make(String className) {
        try {
            return (Sampler) Class.forName(className).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException | ClassCastException | LinkageError e) {
            throw new BadMessage("no sampler of class " + className + ": " + e);
        }
    }

    private static void readHttp(HTTPSamplerBase sampler, int arguments, In in) {
        for (int count = arguments; count > 0; count--) {
            HTTPArgument argument = new HTTPArgument(in.string(), in.string());
            int flags = in.u8();
            argument.setAlwaysEncoded((flags & 1) != 0);
            argument.setUseEquals((flags & 2) != 0);
            argument.setContentType(in.string());
            sampler.getArguments().addArgument(argument);
        }
        HTTPFileArg[] files = new HTTPFileArg[in.count()];
        for (int i = 0; i < files.length; i++) {
            files[i] = new HTTPFileArg(in.string(), in.string(), in.string());
        }
        if (files.length > 0) {
            sampler.setHTTPFiles(files);
        }
        if (in.flag()) {
            HeaderManager headers = new HeaderManager();
            for (int count = in.count(); count > 0; count--) {
                headers.add(new Header(in.string(), in.string()));
            }
            sampler.setHeaderManager(headers);
        }
        if (in.flag()) {
            sampler.setCookieManager(readCookies(in));
        }
    }

    private static CookieManager readCookies(In in) {
        CookieManager manager = new CookieManager();
        for (int count = in.count(); count > 0; count--) {
            String name = in.string();
            String value = in.string();
            String domain = in.string();
            String path = in.string();
            int flags = in.u8();
            Cookie cookie = new Cookie(name, value, domain, path, (flags & 1) != 0, 0, (flags & 4) != 0, (flags & 2) != 0);
            // The manager would ask its settings whether it takes it.
            manager.getCookies().addItem(cookie);
        }
        return manager;
    }

    /** Writes 0 for no manager, 1 for the one that was given, 2 for another. */
    private static void write(Out out, HeaderManager manager, HeaderManager given) {
        out.u8(manager == null ? 0 : manager == given ? 1 : 2);
        if (manager == null) {
            return;
        }
        out.i32(manager.size());
        for (int i = 0; i < manager.size(); i++) {
            out.string(manager.get(i).getName());
            out.string(manager.get(i).getValue());
        }
    }

    private static void write(Out out, CookieManager manager) {
        out.flag(manager != null);
        if (manager == null) {
            return;
        }
        out.i32(manager.getCookieCount());
        for (int i = 0; i < manager.getCookieCount(); i++) {
            Cookie cookie = manager.get(i);
            out.string(cookie.getName());
            out.string(cookie.getValue());
            out.string(cookie.getDomain());
            out.string(cookie.getPath());
            out.u8((cookie.getSecure() ? 1 : 0) | (cookie.isDomainSpecified() ? 2 : 0) | (cookie.isPathSpecified() ? 4 : 0));
        }
    }

    /** The manager of its headers; null if it has none. */
    static HeaderManager headersOf(Sampler sampler) {
        return sampler instanceof HTTPSamplerBase ? ((HTTPSamplerBase) sampler).getHeaderManager() : null;
    }

    /** Writes a sampler that was given with a manager of headers; the same state gives the same bytes. */
    static void write(Out out, Sampler sampler, HeaderManager given) {
        out.string(sampler.getClass().getName());
        out.string(sampler.getName());
        TreeMap<String, String> plain = plainProperties(sampler);
        out.i32(plain.size());
        plain.forEach((name, value) -> {
            out.string(name);
            out.string(value);
        });
        if (sampler instanceof HTTPSamplerBase) {
            writeHttp(out, (HTTPSamplerBase) sampler, given);
        } else {
            out.i32(0);
            out.i32(0);
            out.flag(false);
            out.flag(false);
        }
    }

    private static TreeMap<String, String> plainProperties(TestElement element) {
        TreeMap<String, String> plain = new TreeMap<>();
        for (PropertyIterator all = element.propertyIterator(); all.hasNext();) {
            JMeterProperty property = all.next();
            boolean isPlain = property instanceof StringProperty || property instanceof BooleanProperty
                    || property instanceof NumberProperty;
            if (isPlain && !TestElement.NAME.equals(property.getName())) {
                plain.put(property.getName(), property.getStringValue());
            }
        }
        return plain;
    }

    private static void writeHttp(Out out, HTTPSamplerBase sampler, HeaderManager given) {
        List<Argument> arguments = new ArrayList<>();
        sampler.getArguments().forEach(property -> arguments.add((Argument) property.getObjectValue()));
        out.i32(arguments.size());
        for (Argument argument : arguments) {
            out.string(argument.getName());
            out.string(argument.getValue());
            boolean isHttp = argument instanceof HTTPArgument;
            boolean encoded = !isHttp || ((HTTPArgument) argument).isAlwaysEncoded();
            boolean equals = !isHttp || ((HTTPArgument) argument).isUseEquals();
            out.u8((encoded ? 1 : 0) | (equals ? 2 : 0));
            out.string(isHttp ? ((HTTPArgument) argument).getContentType() : "");
        }
        HTTPFileArg[] files = sampler.getHTTPFiles();
        out.i32(files.length);
        for (HTTPFileArg file : files) {
            out.string(file.getPath());
            out.string(file.getParamName());
            out.string(file.getMimeType());
        }
        write(out, sampler.getHeaderManager(), given);
        write(out, sampler.getCookieManager());
    }
}
