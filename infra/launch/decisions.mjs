// What the launcher decides, apart from what it does. Plain JavaScript: it runs before anything is
// installed, on whatever Node there is.

/** The Node that is brought along, pinned by infra/node/package-lock.json. */
export const broughtNode = '24.21.0'

/** Old enough for everybody, new enough for type stripping without flags. */
const majorMin = 22
const minorMin = 19
/** Odd releases before 27 were supported for half a year each. */
const abandonedMajors = new Set([23, 25])

/**
 * Whether a Node can run the project.
 * @param {string} version as in process.versions.node
 */
export const isGoodNode = (version) => {
  const match = /^(\d+)\.(\d+)\.\d+/.exec(version)
  if (match === null) return false
  const major = Number(match[1])
  if (major === majorMin) return Number(match[2]) >= minorMin
  return major > majorMin && !abandonedMajors.has(major)
}

/**
 * The npm package that holds Node's binary for a platform; null where there is none.
 * @param {{ platform: string, arch: string, glibc: boolean }} system
 */
export const nodePackage = ({ platform, arch, glibc }) =>
  platform === 'linux' && glibc && (arch === 'x64' || arch === 'arm64')
    ? `node-linux-${arch}`
    : null

/**
 * Whether node_modules is what package-lock.json describes: this launcher remembered so, or npm
 * finished an install after the file last changed.
 * @param {{ lockHash: string, rememberedHash: string | null, lockChangedMs: number, installedMs: number | null }} facts
 *   `installedMs` null: npm never finished an install here
 */
export const isInstalled = ({ lockHash, rememberedHash, lockChangedMs, installedMs }) =>
  installedMs !== null && (rememberedHash === lockHash || installedMs >= lockChangedMs)

/**
 * Whether a signal is news. One Ctrl-C reaches us from the terminal and again from npm.
 * @param {number | null} lastMs when the same signal last came
 * @param {number} nowMs
 */
export const isNewSignal = (lastMs, nowMs) => lastMs === null || nowMs - lastMs >= 1_000
