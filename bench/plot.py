"""Bars with their spread as SVG: a panel for each model, a group for each case, a bar for each engine."""

COLOURS = {"hyalite": "#2b6cb0", "llama.cpp": "#dd8452", "llama.cpp-avx2": "#c9a26b", "ik_llama.cpp": "#55a868", "openvino": "#8172b3"}
BAR, GAP, PANEL, LEFT, TOP, LEGEND = 16, 26, 220, 70, 40, 130


def tag(name, text=None, **attributes):
    fields = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in attributes.items())
    return f"<{name}{fields}/>" if text is None else f"<{name}{fields}>{text}</{name}>"


def escaped(text):
    return str(text).replace("&", "&amp;").replace("<", "&lt;")


def bar(x, base, height, whisker, colour, title):
    """`whisker`: heights of the least and the most."""
    middle = x + BAR / 2
    yield "<g>" + tag("title", escaped(title))
    yield tag("rect", x=f"{x:.1f}", y=f"{base - height:.1f}", width=BAR - 2, height=f"{height:.1f}", fill=colour)
    yield tag("line", x1=f"{middle:.1f}", x2=f"{middle:.1f}", y1=f"{base - whisker[0]:.1f}", y2=f"{base - whisker[1]:.1f}", stroke="#222") + "</g>"


def panel(model, blocks, top):
    """Each group is scaled to its own highest bar: prefill and decode are an order apart."""
    base, x = top + PANEL - 50, LEFT
    yield tag("text", escaped(model), x=LEFT, y=top + 16, font_weight="bold")
    for block in blocks:
        engines = {name: one for name, one in block["engines"].items() if "rate" in one}
        most = max((one["rate"]["max"] for one in engines.values()), default=1)
        scale = (PANEL - 100) / most
        for name, one in engines.items():
            rate = one["rate"]
            title = f"{name}: {rate['median']:.1f} tokens/s ({rate['min']:.1f} to {rate['max']:.1f})"
            yield from bar(x, base, rate["median"] * scale, (rate["min"] * scale, rate["max"] * scale), COLOURS.get(name, "#888"), title)
            x += BAR
        yield tag("text", escaped(block["case"]), x=f"{x - BAR * len(engines) / 2:.1f}", y=base + 16, text_anchor="middle")
        yield tag("text", f"height {most:.0f}", x=f"{x - BAR * len(engines) / 2:.1f}", y=base + 30, text_anchor="middle", fill="#666")
        x += GAP + 40
    yield tag("line", x1=LEFT - 10, x2=x, y1=base, y2=base, stroke="#999")


def svg(title, blocks):
    models = list(dict.fromkeys(block["model"] for block in blocks))
    most = max((sum(len(b["engines"]) * BAR + GAP + 40 for b in blocks if b["model"] == model) for model in models), default=300)
    width, height = LEFT + max(most, LEGEND * len(COLOURS)) + 20, TOP + PANEL * len(models) + 30
    lines = [tag("text", escaped(title), x=LEFT, y=22, font_size=14)]
    for i, model in enumerate(models):
        lines += panel(model, [block for block in blocks if block["model"] == model], TOP + PANEL * i)
    for i, (name, colour) in enumerate(COLOURS.items()):
        lines.append(tag("rect", x=LEFT + LEGEND * i, y=height - 24, width=12, height=12, fill=colour))
        lines.append(tag("text", escaped(name), x=LEFT + LEGEND * i + 18, y=height - 14))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="11">'
    return "\n".join([head, tag("rect", width="100%", height="100%", fill="#fff"), *lines, "</svg>"]) + "\n"
