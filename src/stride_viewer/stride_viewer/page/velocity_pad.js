// A pad that drives while it is held: the event `hold` ten times a second with the place of the knob,
// `release` when it is let go, also when the window loses the focus or is hidden. Arrow keys, Q and E
// drive as long as they are pressed while the pad has the focus.
const PERIOD = 100;
const KEYS = {
  ArrowUp: { x: 1 }, ArrowDown: { x: -1 }, ArrowLeft: { y: 1 }, ArrowRight: { y: -1 }, q: { turn: 1 }, e: { turn: -1 },
};
export default {
  template: `
    <div class="velocity-pad" :class="{disabled}" tabindex="0" role="application"
         aria-label="velocity pad: hold to walk" @keydown="key($event, true)" @keyup="key($event, false)" @blur="letGo()">
      <div ref="field" class="velocity-field" @pointerdown="grip($event)" @pointermove="drag($event)"
           @pointerup="letGo()" @pointercancel="letGo()" @lostpointercapture="letGo()">
        <div class="velocity-cross"></div>
        <div class="velocity-knob" :style="{left: 50 - 50 * y + '%', top: 50 - 50 * x + '%'}"></div>
      </div>
      <div ref="strip" class="velocity-strip" @pointerdown="gripTurn($event)" @pointermove="dragTurn($event)"
           @pointerup="letGo()" @pointercancel="letGo()" @lostpointercapture="letGo()">
        <span>⟲</span><div class="velocity-knob" :style="{left: 50 - 50 * turn + '%', top: '50%'}"></div><span>⟳</span>
      </div>
    </div>`,
  props: { disabled: Boolean },
  data: () => ({ x: 0, y: 0, turn: 0, held: false }),

  mounted() {
    this.pressed = new Set();
    this.away = () => this.letGo();
    window.addEventListener("blur", this.away);
    window.addEventListener("pagehide", this.away);
    this.hidden = () => document.hidden && this.letGo();
    document.addEventListener("visibilitychange", this.hidden);
  },
  unmounted() {
    this.letGo();
    window.removeEventListener("blur", this.away);
    window.removeEventListener("pagehide", this.away);
    document.removeEventListener("visibilitychange", this.hidden);
  },
  watch: {
    disabled(now) {
      if (now) this.letGo();
    },
  },

  methods: {
    grip(event) {
      if (this.disabled || event.button !== 0) return;
      this.$refs.field.setPointerCapture(event.pointerId);
      this.part = "field";
      this.begin();
      this.drag(event);
    },
    gripTurn(event) {
      if (this.disabled || event.button !== 0) return;
      this.$refs.strip.setPointerCapture(event.pointerId);
      this.part = "strip";
      this.begin();
      this.dragTurn(event);
    },
    drag(event) {
      if (!this.held || this.part !== "field") return;
      const box = this.$refs.field.getBoundingClientRect();
      let x = 1 - (2 * (event.clientY - box.top)) / box.height;
      let y = 1 - (2 * (event.clientX - box.left)) / box.width;
      const length = Math.hypot(x, y);
      if (length > 1) [x, y] = [x / length, y / length];
      [this.x, this.y] = [x, y];
    },
    dragTurn(event) {
      if (!this.held || this.part !== "strip") return;
      const box = this.$refs.strip.getBoundingClientRect();
      this.turn = Math.max(-1, Math.min(1, 1 - (2 * (event.clientX - box.left)) / box.width));
    },
    key(event, down) {
      const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      if (!(name in KEYS) || this.disabled) return;
      event.preventDefault();
      // A key that repeats was pressed before: after STOP, or in another tab, it must be let go first.
      if (down && event.repeat) return;
      if (down) this.pressed.add(name);
      else this.pressed.delete(name);
      if (!this.pressed.size) return this.letGo();
      [this.x, this.y, this.turn] = [0, 0, 0];
      for (const pressed of this.pressed) {
        for (const [axis, value] of Object.entries(KEYS[pressed])) this[axis] += value;
      }
      this.part = "keys";
      if (!this.held) this.begin();
    },
    begin() {
      this.held = true;
      clearInterval(this.timer);
      const say = () => this.$emit("hold", { x: this.x, y: this.y, turn: this.turn, sent: Date.now() });
      this.timer = setInterval(say, PERIOD);
      setTimeout(() => this.held && say(), 0);
    },
    letGo() {
      clearInterval(this.timer);
      this.pressed?.clear();
      if (!this.held) return;
      this.held = false;
      [this.x, this.y, this.turn] = [0, 0, 0];
      this.$emit("release");
    },
  },
};
