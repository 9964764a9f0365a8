// What a test does on a page as a person does: it sees, aims, presses and writes.
// Selectors are XPath where they begin with a slash or a bracket, and otherwise CSS.
(() => {
	const all = (selector) => {
		if (!/^[/(]/.test(selector)) return [...document.querySelectorAll(selector)];
		const found = document.evaluate(selector, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
		return Array.from({ length: found.snapshotLength }, (_, n) => found.snapshotItem(n));
	};
	const first = (selector) => all(selector).find((e) => e.checkVisibility({ visibilityProperty: true }));
	const within = (e, other) => other instanceof Node && (e.contains(other) || other.closest?.("label")?.control === e);
	const frame = () => new Promise((done) => {
		requestAnimationFrame(done);
		setTimeout(done, 50); // a page that is not in front draws no frames
	});
	const place = (e) => {
		const r = e.getClientRects()[0] ?? new DOMRect();
		return { x: r.x + r.width / 2, y: r.y + r.height / 2, width: r.width, height: r.height };
	};
	const same = (a, b) => Object.keys(a).every((side) => a[side] === b[side]);
	// What a page listens for by scripts is lost before they have run.
	const loading = () => document.readyState !== "complete";
	const presses = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"];

	return {
		seen: (selector) => first(selector) !== undefined,
		present: (selector) => all(selector).length > 0,
		node: (selector) => all(selector)[0] ?? null, // also one that is not seen
		place: (selector) => place(first(selector)),
		text: (selector) => first(selector)?.innerText ?? null,

		// Where to press. From now on a press that comes to something else is caught,
		// because what moves meanwhile would be pressed in its place.
		aim: async (selector) => {
			const e = first(selector);
			if (!e) return { missing: "it is not seen" };
			if (loading()) return { missing: "the page is loading" };
			if (e.matches(":disabled")) return { missing: "it is disabled" };
			e.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
			const before = place(e);
			await frame();
			await frame();
			const at = place(e);
			if (!e.isConnected || !same(before, at)) return { missing: "it moves" };
			const top = document.elementFromPoint(at.x, at.y);
			if (!within(e, top)) return { missing: "it is covered by " + (top?.outerHTML.slice(0, 200) ?? "nothing") };
			globalThis.aimed?.end();
			const aimed = { how: "waits" };
			const guard = (event) => {
				const right = within(e, event.target);
				if (!right) {
					aimed.how = "missed";
					event.preventDefault();
					event.stopImmediatePropagation();
				}
				if (event.type !== "click") return;
				if (right) aimed.how = "came";
				aimed.end();
			};
			aimed.end = () => presses.forEach((type) => removeEventListener(type, guard, true));
			presses.forEach((type) => addEventListener(type, guard, true));
			globalThis.aimed = aimed;
			return at;
		},

		// How the press ended: "came", "missed" or "waits". A page that was left has no aim.
		pressed: () => globalThis.aimed?.how ?? "came",

		// Gives a field the focus; what stands in it is selected.
		enter: (selector) => {
			const e = first(selector);
			if (!e) return "it is not seen";
			if (loading()) return "the page is loading";
			if (e.matches(":disabled")) return "it is disabled";
			e.focus();
			if (document.activeElement !== e) return "it does not take the focus";
			e.select?.();
			return "";
		},
		// What is written in it; null: nothing can be.
		written: (selector) => {
			const e = first(selector);
			return e?.matches("input, textarea") ? e.value : null;
		},
	};
})()
