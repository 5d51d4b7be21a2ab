// What the launcher decides, apart from what it does. Plain JavaScript: it runs before anything is
// installed, on whatever Node there is.

/** The Node that is brought along, pinned by infra/start/node/package-lock.json. */
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
  platform === 'linux' && glibc && (arch === 'x64' || arch === 'arm64') ? `node-linux-${arch}` : null

/**
 * What brings node_modules to what package-lock.json says: nothing, the development packages beside what is
 * there, all packages anew, or those of production anew. A checkout that had all keeps having all.
 * @param {{
 *   lockHash: string,
 *   remembered: { lockHash: string, hasDevelopment: boolean } | null,
 *   lockChangedMs: number,
 *   installedMs: number | null,
 *   foundDevelopment: boolean,
 *   needsDevelopment: boolean,
 * }} facts
 *   `remembered`: what this launcher installed last; `installedMs` null: npm never finished an install here;
 *   `foundDevelopment`: what somebody installed by hand has the development packages
 * @returns {'nothing' | 'development' | 'all' | 'production'}
 */
export const planInstall = (facts) => {
  const { lockHash, remembered, lockChangedMs, installedMs, needsDevelopment } = facts
  const isRemembered = remembered !== null && remembered.lockHash === lockHash
  const isCurrent = installedMs !== null && (isRemembered || installedMs >= lockChangedMs)
  const hasDevelopment = isRemembered ? remembered.hasDevelopment : facts.foundDevelopment
  if (isCurrent) return needsDevelopment && !hasDevelopment ? 'development' : 'nothing'
  return needsDevelopment || remembered?.hasDevelopment === true ? 'all' : 'production'
}

/**
 * What the launcher wrote down of an install; one that was written before there were two kinds had all.
 * @param {string} text @returns {{ lockHash: string, hasDevelopment: boolean }}
 */
export const parseRemembered = (text) => {
  const [lockHash = '', kind = 'all'] = text.trim().split(' ')
  return { lockHash, hasDevelopment: kind === 'all' }
}

/**
 * Whether a signal is news. One Ctrl-C reaches us from the terminal and again from npm.
 * @param {number | null} lastMs when the same signal last came
 * @param {number} nowMs
 */
export const isNewSignal = (lastMs, nowMs) => lastMs === null || nowMs - lastMs >= 1_000
