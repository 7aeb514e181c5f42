// Lines over the last twenty seconds. The page sends only new rows, [time, value, value, ...]; null is a gap.
// The event `ready` asks for the history.
import { echarts } from "nicegui-echart";

const COLORS = ["#4cc9f0", "#f8961e", "#90be6d", "#f94144", "#b388eb", "#f9c74f", "#43aa8b", "#ff70a6"];
export default {
  template: `<div class="live-plot"></div>`,
  props: { title: String, unit: String, window: Number },

  mounted() {
    this.rows = [];
    this.lines = [];
    this.chart = echarts.init(this.$el, null, { renderer: "canvas" });
    this.resizing = new ResizeObserver(() => this.chart.resize());
    this.resizing.observe(this.$el);
    this.layout();
    this.$emit("ready");
  },
  unmounted() {
    this.resizing.disconnect();
    this.chart.dispose();
  },

  methods: {
    // Other lines: `lines` is [[name, color index, dashed], ...], `rows` their history.
    reset(lines, rows) {
      this.lines = lines;
      this.rows = rows;
      this.layout();
      this.refresh();
    },
    append(rows) {
      if (!rows.length) return;
      if (this.rows.length && rows[0][0] < this.rows[this.rows.length - 1][0]) this.rows = [];
      this.rows.push(...rows);
      const oldest = this.rows[this.rows.length - 1][0] - this.window;
      let first = 0;
      while (this.rows[first][0] < oldest) first++;
      if (first) this.rows.splice(0, first);
      this.refresh();
    },
    layout() {
      const series = this.lines.map(([name, color, dashed], i) => ({
        name,
        type: "line",
        showSymbol: false,
        animation: false,
        lineStyle: { width: 1.6, type: dashed ? "dashed" : "solid" },
        color: COLORS[color % COLORS.length],
        encode: { x: 0, y: i + 1 },
      }));
      this.chart.setOption(
        {
          animation: false,
          title: { text: this.unit ? `${this.title} (${this.unit})` : this.title, left: 8, top: 4, textStyle: { color: "#cbd5e1", fontSize: 12, fontWeight: 600 } },
          legend: { type: "scroll", left: 4, top: 20, data: this.lines.filter((line) => !line[2]).map((line) => line[0]), textStyle: { color: "#94a3b8", fontSize: 10 }, itemWidth: 14, itemHeight: 8 },
          tooltip: { trigger: "axis", confine: true, valueFormatter: (v) => (v === null || v === undefined || Number.isNaN(v) ? "–" : Number(v).toPrecision(4)) },
          grid: { left: 46, right: 12, top: 48, bottom: 22 },
          xAxis: { type: "value", scale: true, splitNumber: 4, axisLabel: { hideOverlap: true, color: "#64748b", formatter: (t) => `${(t - this.newest()).toFixed(0)} s` }, splitLine: { show: false }, axisPointer: { label: { show: false } } },
          yAxis: { type: "value", scale: true, axisLabel: { color: "#64748b" }, splitLine: { lineStyle: { color: "#1e293b" } } },
          series,
        },
        { notMerge: true },
      );
    },
    newest() {
      return this.rows.length ? this.rows[this.rows.length - 1][0] : 0;
    },
    refresh() {
      const newest = this.newest();
      this.chart.setOption({ dataset: { source: this.rows }, xAxis: { min: newest - this.window, max: newest } });
    },
  },
};
