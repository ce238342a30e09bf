"""Draw the errors of means over the number of users as an SVG that fits light and dark pages, without a library."""

import math

COLOURS = {"Swell": "#1a7f5a", "Swell, in user space": "#8fc9b0", "wrk": "#c2410c", "ab": "#9333ea", "oha": "#2563eb", "k6": "#be185d", "JMeter 5.6.3": "#64748b"}
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 760, 380, 70, 46, 20, 170
LEAST_MS = 0.001


def place(value, low, high, start, length):
    """Place a value on a logarithmic axis."""
    return start + length * (math.log10(value) - math.log10(low)) / (math.log10(high) - math.log10(low))


def svg(curves, title):
    """Draw `curves`: name to a list of (users, error in ms). Errors below a microsecond are drawn as one microsecond."""
    users = sorted({at for curve in curves.values() for at, _ in curve})
    most = max(max(abs(error), LEAST_MS) for curve in curves.values() for _, error in curve)
    high, least, largest = 10 ** math.ceil(math.log10(most)), min(users) * 0.9, max(users) * 1.1
    across = lambda at: place(at, least, largest, LEFT, WIDTH - LEFT - RIGHT)
    up = lambda error: place(max(abs(error), LEAST_MS), LEAST_MS, high, HEIGHT - BOTTOM, -(HEIGHT - BOTTOM - TOP))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
           "<style>text{fill:#333}line{stroke:#ddd}@media(prefers-color-scheme:dark){text{fill:#ddd}line{stroke:#444}}</style>",
           f'<text x="{LEFT}" y="14" font-weight="bold">{title}</text>']
    for power in range(round(math.log10(LEAST_MS)), round(math.log10(high)) + 1):
        y = up(10.0 ** power)
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/><text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{10.0 ** power:g} ms</text>')
    for at in users:
        out.append(f'<text x="{across(at):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{at:,}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle">users</text>')
    taken = []
    for name, curve in sorted(curves.items(), key=lambda pair: abs(pair[1][-1][1])):
        points = [(across(at), up(error)) for at, error in sorted(curve)]
        colour = COLOURS.get(name, "#000")
        out.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>')
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
        label = points[-1][1] + 4
        while any(abs(label - other) < 14 for other in taken):
            label -= 14
        taken.append(label)
        out.append(f'<text x="{WIDTH - RIGHT + 10}" y="{label:.1f}" style="fill:{colour}">{name}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"
