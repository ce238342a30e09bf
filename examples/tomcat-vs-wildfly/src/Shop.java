import jakarta.servlet.ServletException;
import jakarta.servlet.http.*;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;

/** The ten pages of examples/ten-urls.jmx: pages, a login with a session, JSON, compression, a multipart form, a redirect. */
public final class Shop extends HttpServlet {
    @Override protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
        String path = request.getRequestURI();
        if (path.startsWith("/redirect/")) {
            response.sendRedirect("/");
        } else if (path.equals("/login")) {
            request.getSession(true).setAttribute("user", String.valueOf(request.getParameter("user")));
            send(response, "text/plain", "welcome\n");
        } else if (path.startsWith("/api/items")) {
            HttpSession session = request.getSession(false);
            if (session == null) {
                response.sendError(401, "log in first");
            } else {
                send(response, "application/json", items(session.getAttribute("user"), path.length() > "/api/items".length() ? 1 : 20));
            }
        } else if (path.startsWith("/anything/upload")) {
            long bytes = 0;
            for (Part part : request.getParts()) {
                bytes += part.getSize();
            }
            send(response, "text/plain", bytes + " bytes\n");
        } else if (path.equals("/gzip")) {
            ByteArrayOutputStream packed = new ByteArrayOutputStream();
            try (OutputStream out = new GZIPOutputStream(packed)) {
                out.write(page(40).getBytes(StandardCharsets.UTF_8));
            }
            response.setHeader("Content-Encoding", "gzip");
            send(response, "text/html", packed.toByteArray());
        } else {
            send(response, path.endsWith(".css") ? "text/css" : "text/html", page(10));
        }
    }

    private static String items(Object user, int count) {
        StringBuilder out = new StringBuilder("{\"user\":\"").append(user).append("\",\"items\":[");
        for (int n = 1; n <= count; n++) {
            out.append(n > 1 ? "," : "").append("{\"id\":").append(n).append(",\"name\":\"item ").append(n).append("\",\"price\":").append(n * 7).append("}");
        }
        return out.append("]}").toString();
    }

    private static String page(int rows) {
        StringBuilder out = new StringBuilder("<html><head><title>shop</title></head><body><table>");
        for (int n = 0; n < rows; n++) {
            out.append("<tr><td>row ").append(n).append("</td><td>text of this row, as a template makes it</td></tr>");
        }
        return out.append("</table></body></html>").toString();
    }

    private static void send(HttpServletResponse response, String type, String text) throws IOException {
        send(response, type, text.getBytes(StandardCharsets.UTF_8));
    }

    private static void send(HttpServletResponse response, String type, byte[] body) throws IOException {
        response.setContentType(type);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
