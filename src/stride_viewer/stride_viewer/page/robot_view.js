// The robot in 3-D: measured pose solid, wanted pose as a ghost, what it stands on, load as colour.
// Draws only when something changed. Frames come by `frame`; each is answered by the event `drawn`, so
// that a slow browser is sent no more than it can draw.
import { THREE, OrbitControls, STLLoader, GLTFLoader } from "nicegui-scene";

const SOLID = 0x8d99ae;
const GHOST = new THREE.MeshLambertMaterial({
  color: 0x33bbff,
  transparent: true,
  opacity: 0.28,
  depthWrite: false,
});
// Load 0 to 1 as colour: what the legend under the view shows.
const LOAD_STOPS = [
  [0.0, new THREE.Color(0x2f7d4f)],
  [0.35, new THREE.Color(0xe0b02c)],
  [0.8, new THREE.Color(0xd93025)],
];
const UNKNOWN_LOAD = new THREE.Color(0x5a6b8c);
// Margin, m, below which the polygon warns.
const SMALL_MARGIN = 0.02;
// Lines of the ground, m apart, and how many on each side of the robot.
const GRID_STEP = 0.1;
const GRID_HALF = 30;

// Drawn by the processor instead of a graphics card: leave out what costs most.
function drawsSlowly() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

function loadColor(load) {
  if (load === null || load === undefined) return UNKNOWN_LOAD;
  const value = Math.min(Math.abs(load), 1);
  for (let i = 1; i < LOAD_STOPS.length; i++) {
    const [high, to] = LOAD_STOPS[i];
    const [low, from] = LOAD_STOPS[i - 1];
    if (value <= high) return from.clone().lerp(to, (value - low) / (high - low));
  }
  return LOAD_STOPS[LOAD_STOPS.length - 1][1];
}

function place(object, xyz, rpy) {
  object.position.set(...xyz);
  // URDF: roll, pitch, yaw about fixed axes.
  object.rotation.set(rpy[0], rpy[1], rpy[2], "ZYX");
}

// A grid of GRID_STEP in short pieces, to be moved with the robot by whole steps. Lines that reach behind
// the camera are not drawn everywhere.
function gridLines() {
  const points = [];
  const edge = GRID_STEP * GRID_HALF;
  for (let i = -GRID_HALF; i <= GRID_HALF; i++) {
    const across = i * GRID_STEP;
    for (let along = -edge; along < edge - GRID_STEP / 2; along += GRID_STEP) {
      points.push(along, across, 0, along + GRID_STEP, across, 0);
      points.push(across, along, 0, across, along + GRID_STEP, 0);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  const grid = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: 0x46566e }));
  grid.position.z = 0.001;
  return grid;
}

class Tree {
  // One drawing of the robot; `ghost` gives every part the ghost's material.
  constructor(description, ghost, simple, changed) {
    this.links = new Map();
    this.joints = [];
    this.materials = new Map();
    this.ghost = ghost;
    this.simple = simple;
    this.changed = changed;
    this.root = this.link(description, description.root);
    for (const joint of description.joints) {
      const origin = new THREE.Group();
      place(origin, joint.xyz, joint.rpy);
      const moving = new THREE.Group();
      origin.add(moving);
      this.links.get(joint.parent).add(origin);
      moving.add(this.link(description, joint.child));
      const axis = new THREE.Vector3(...joint.axis).normalize();
      this.joints.push({ ...joint, axis, moving });
    }
  }

  link(description, name) {
    const group = new THREE.Group();
    this.links.set(name, group);
    this.materials.set(name, []);
    for (const shape of description.links[name]) this.shape(group, name, shape);
    return group;
  }

  material(link, rgba) {
    if (this.ghost) return GHOST;
    const color = rgba ? new THREE.Color().setRGB(rgba[0], rgba[1], rgba[2], THREE.SRGBColorSpace) : new THREE.Color(SOLID);
    const material = this.simple
      ? new THREE.MeshLambertMaterial({ color })
      : new THREE.MeshStandardMaterial({ color, roughness: 0.55, metalness: 0.1 });
    if (rgba && rgba[3] < 1) {
      material.transparent = true;
      material.opacity = rgba[3];
    }
    this.materials.get(link).push(material);
    return material;
  }

  shape(group, link, shape) {
    if (shape.rgba && shape.rgba[3] === 0) return;
    if (shape.kind === "mesh") {
      this.mesh(group, link, shape);
      return;
    }
    let geometry;
    if (shape.kind === "box") geometry = new THREE.BoxGeometry(...shape.size);
    else if (shape.kind === "sphere") geometry = new THREE.SphereGeometry(shape.size[0], 24, 16);
    else {
      geometry = new THREE.CylinderGeometry(shape.size[0], shape.size[0], shape.size[1], 28);
      geometry.rotateX(Math.PI / 2);
    }
    this.add(group, new THREE.Mesh(geometry, this.material(link, shape.rgba)), shape);
  }

  mesh(group, link, shape) {
    if (!shape.url) return;
    const material = this.material(link, shape.rgba);
    const ready = (object) => {
      object.traverse((part) => {
        if (part.isMesh) part.material = material;
      });
      object.scale.set(...shape.size);
      this.add(group, object, shape);
      this.changed();
    };
    const failed = (error) => console.warn(`mesh ${shape.url} was not loaded`, error);
    if (shape.url.toLowerCase().split("?")[0].endsWith(".stl"))
      new STLLoader().load(shape.url, (geometry) => ready(new THREE.Mesh(geometry)), undefined, failed);
    else new GLTFLoader().load(shape.url, (file) => ready(file.scene), undefined, failed);
  }

  add(group, object, shape) {
    place(object, shape.xyz, shape.rpy);
    object.traverse((part) => {
      part.castShadow = !this.ghost;
      part.receiveShadow = !this.ghost;
    });
    group.add(object);
  }

  move(values) {
    for (const joint of this.joints) {
      if (joint.kind === "fixed") continue;
      let value = joint.mimic ? joint.mimic[1] * (values.get(joint.mimic[0]) ?? 0) + joint.mimic[2] : values.get(joint.name);
      value = value ?? 0;
      if (joint.kind === "prismatic") joint.moving.position.copy(joint.axis).multiplyScalar(value);
      else joint.moving.quaternion.setFromAxisAngle(joint.axis, value);
    }
  }

  tint(loads, show) {
    for (const joint of this.joints) {
      if (joint.kind === "fixed" || !loads.has(joint.name)) continue;
      for (const material of this.materials.get(joint.child)) {
        if (show) material.emissive.copy(loadColor(loads.get(joint.name)));
        material.emissiveIntensity = show ? 0.55 : 0;
      }
    }
  }
}

export default {
  template: `
    <div class="robot-view">
      <canvas style="display:block;width:100%;height:100%"></canvas>
      <div ref="note" class="robot-view-note"></div>
    </div>`,
  props: { description: Object, note: String },

  mounted() {
    this.view = { x: 0, y: 0 };
    this.options = { ghost: true, load: true, ground: true, follow: true };
    this.canvas = this.$el.querySelector("canvas");
    this.$refs.note.textContent = this.note || "";
    this.slow = drawsSlowly();
    try {
      this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: !this.slow });
    } catch (error) {
      this.$refs.note.textContent = "This browser has no WebGL: the robot cannot be drawn here.";
      return;
    }
    this.renderer.setPixelRatio(this.slow ? 0.75 : Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = !this.slow;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.scene = new THREE.Scene();
    this.scene.background = new THREE.Color(0x10151d);
    this.scene.fog = new THREE.Fog(0x10151d, 1.2, 3.2);
    this.camera = new THREE.PerspectiveCamera(42, 1, 0.02, 50);
    this.camera.up.set(0, 0, 1);
    this.camera.position.set(0.62, -0.62, 0.5);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.target.set(0, 0, 0.06);
    this.controls.maxPolarAngle = Math.PI * 0.49;
    this.controls.minDistance = 0.15;
    this.controls.maxDistance = 6;
    this.controls.addEventListener("change", () => this.draw());
    this.light();
    this.buildRobot(this.description);
    this.resizing = new ResizeObserver(() => this.resize());
    this.resizing.observe(this.$el);
    this.resize();
    this.$emit("drawn");
  },

  unmounted() {
    this.resizing?.disconnect();
    this.renderer?.dispose();
  },

  methods: {
    light() {
      this.scene.add(new THREE.HemisphereLight(0xdfe9ff, 0x20242c, 1.5));
      this.sun = new THREE.DirectionalLight(0xffffff, 2.2);
      this.sun.castShadow = true;
      this.sun.shadow.mapSize.set(1024, 1024);
      const frustum = this.sun.shadow.camera;
      frustum.left = frustum.bottom = -0.6;
      frustum.right = frustum.top = 0.6;
      frustum.near = 0.1;
      frustum.far = 4;
      this.scene.add(this.sun, this.sun.target);
      const floor = new THREE.Mesh(
        new THREE.PlaneGeometry(40, 40),
        this.slow ? new THREE.MeshBasicMaterial({ color: 0x20262f }) : new THREE.MeshStandardMaterial({ color: 0x131922, roughness: 1 }),
      );
      floor.receiveShadow = true;
      this.grid = gridLines();
      this.scene.add(floor, this.grid);
    },

    buildRobot(description) {
      if (this.base) this.scene.remove(this.base);
      this.base = new THREE.Group();
      this.scene.add(this.base);
      this.solid = this.shadowTree = null;
      if (description) {
        this.solid = new Tree(description, false, this.slow, () => this.draw());
        this.shadowTree = new Tree(description, true, this.slow, () => this.draw());
        this.base.add(this.solid.root, this.shadowTree.root);
      }
      this.support = new THREE.Group();
      this.base.add(this.support);
      this.base.visible = false;
      this.draw();
    },

    // A new robot: the stack was started with another one.
    robot(description, note) {
      this.$refs.note.textContent = note || "";
      if (this.renderer) this.buildRobot(description);
    },

    // Answered when everything that came before is on the screen.
    settle() {
      requestAnimationFrame(() => this.$emit("settled", Date.now()));
    },

    show(options) {
      Object.assign(this.options, options);
      if (this.newest) this.frame(this.newest, true);
    },

    frame(frame, again) {
      if (!again) this.received = (this.received || 0) + 1;
      if (!this.renderer || !this.solid) {
        if (!again) this.$emit("drawn");
        return;
      }
      this.newest = frame;
      this.answer = this.answer || !again;
      const [x, y, z, qx, qy, qz, qw] = frame.base;
      this.base.position.set(x, y, z);
      this.base.quaternion.set(qx, qy, qz, qw);
      this.base.visible = true;
      this.grid.position.x = Math.round(x / GRID_STEP) * GRID_STEP;
      this.grid.position.y = Math.round(y / GRID_STEP) * GRID_STEP;
      const names = frame.names;
      const values = (list) => new Map(list.map((value, i) => [names[i], value]));
      // Without any measured joint there is only what is wanted.
      this.solid.root.visible = frame.measured !== null;
      if (frame.measured) this.solid.move(values(frame.measured));
      this.solid.tint(values(frame.load), this.options.load);
      this.shadowTree.root.visible = this.options.ghost && frame.wanted !== null;
      if (frame.wanted) this.shadowTree.move(values(frame.wanted));
      this.stand(frame);
      if (this.options.follow) this.follow(x, y);
      this.draw();
    },

    // Contacts, support polygon and centre of mass, in the base's frame.
    stand(frame) {
      for (const part of [...this.support.children]) {
        this.support.remove(part);
        part.geometry.dispose();
        part.material.dispose();
      }
      if (!this.options.ground) return;
      const lift = 0.0015;
      const down = new THREE.Vector3(0, 0, 1).applyQuaternion(this.base.quaternion.clone().invert());
      const raised = (p) => new THREE.Vector3(...p).addScaledVector(down, lift);
      const flat = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), down);
      for (const [fx, fy, fz, touching] of frame.feet) {
        if (!touching) continue;
        const disc = new THREE.Mesh(new THREE.CircleGeometry(0.016, 24), this.flatMaterial(0x4cd07d, 0.9));
        disc.position.copy(raised([fx, fy, fz]));
        disc.quaternion.copy(flat);
        this.support.add(disc);
      }
      if (frame.polygon.length >= 3) {
        const corners = frame.polygon.map(raised);
        const color = frame.margin < 0 ? 0xd93025 : frame.margin < SMALL_MARGIN ? 0xe0b02c : 0x4cd07d;
        const fill = new THREE.BufferGeometry();
        const triangles = [];
        for (let i = 1; i + 1 < corners.length; i++) triangles.push(corners[0], corners[i], corners[i + 1]);
        fill.setFromPoints(triangles);
        this.support.add(new THREE.Mesh(fill, this.flatMaterial(color, 0.16)));
        this.support.add(new THREE.LineLoop(new THREE.BufferGeometry().setFromPoints(corners), new THREE.LineBasicMaterial({ color })));
        if (frame.center) {
          const center = new THREE.Vector3(...frame.center);
          const foot = center.clone().addScaledVector(down, corners[0].clone().sub(center).dot(down));
          this.support.add(
            new THREE.Line(new THREE.BufferGeometry().setFromPoints([center, foot]), new THREE.LineBasicMaterial({ color: 0xffffff })),
          );
          const dot = new THREE.Mesh(new THREE.CircleGeometry(0.008, 20), this.flatMaterial(0xffffff, 1));
          dot.position.copy(foot).addScaledVector(down, 0.001);
          dot.quaternion.copy(flat);
          this.support.add(dot);
        }
      }
    },

    flatMaterial(color, opacity) {
      return new THREE.MeshBasicMaterial({ color, transparent: opacity < 1, opacity, side: THREE.DoubleSide, depthWrite: false });
    },

    // The camera goes along with the robot, and keeps the angle that the user chose.
    follow(x, y) {
      const dx = x - this.view.x;
      const dy = y - this.view.y;
      this.view = { x, y };
      for (const point of [this.camera.position, this.controls.target]) {
        point.x += dx;
        point.y += dy;
      }
      this.controls.update();
    },

    resize() {
      const { clientWidth: width, clientHeight: height } = this.$el;
      if (!width || !height) return;
      this.renderer.setSize(width, height, false);
      this.camera.aspect = width / height;
      this.camera.updateProjectionMatrix();
      this.draw();
    },

    draw() {
      if (this.drawing) return;
      this.drawing = requestAnimationFrame(() => {
        this.drawing = 0;
        const { x, y } = this.controls.target;
        this.sun.position.set(x + 0.5, y - 0.35, 1.6);
        this.sun.target.position.set(x, y, 0);
        this.renderer.render(this.scene, this.camera);
        this.drawn = (this.drawn || 0) + 1;
        if (this.answer) {
          this.answer = false;
          this.$emit("drawn");
        }
      });
    },
  },
};
