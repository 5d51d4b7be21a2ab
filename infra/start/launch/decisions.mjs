// The decisions of the launcher. Plain JavaScript: it runs before any install, on any version of Node.

/** The version of Node that the launcher installs, pinned by infra/start/node/package-lock.json. */
export const pinnedNode = '24.21.0'

/** The oldest version that strips types without flags. */
const majorMin = 22
const minorMin = 19
/** Odd releases before 27 had support for half a year only. */
const abandonedMajors = new Set([23, 25])

/**
 * Whether a Node can run the project.
 * @param {string} version as in process.versions.node
 */
export const isSupportedNode = (version) => {
  const match = /^(\d+)\.(\d+)\.\d+/.exec(version)
  if (match === null) return false
  const major = Number(match[1])
  if (major === majorMin) return Number(match[2]) >= minorMin
  return major > majorMin && !abandonedMajors.has(major)
}

/**
 * The npm package with Node's binary for a platform; null: none exists.
 * @param {{ platform: string, arch: string, glibc: boolean }} system
 */
export const nodePackage = ({ platform, arch, glibc }) =>
  platform === 'linux' && glibc && (arch === 'x64' || arch === 'arm64') ? `node-linux-${arch}` : null

/**
 * Decides how node_modules gets up to date with package-lock.json: nothing to do, add the development
 * packages, reinstall all, or reinstall those of production. A checkout with all packages keeps all.
 * @param {{ lockHash: string, remembered: { lockHash: string, hasDevelopment: boolean } | null,
 * lockChangedMs: number, installedMs: number | null, foundDevelopment: boolean, needsDevelopment: boolean, }}
 * facts `remembered`: the last install of this launcher; `installedMs` null: npm never finished an install
 * here; `foundDevelopment`: a manual install includes the development packages
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
 * Parses the launcher's record of an install. A record without a kind is of an older launcher, which
 * installed all packages.
 * @param {string} text @returns {{ lockHash: string, hasDevelopment: boolean }}
 */
export const parseRemembered = (text) => {
  const [lockHash = '', kind = 'all'] = text.trim().split(' ')
  return { lockHash, hasDevelopment: kind === 'all' }
}

/**
 * Whether a signal is a new one. One Ctrl-C arrives twice: from the terminal and from npm.
 * @param {number | null} lastMs when the same signal last came
 * @param {number} nowMs
 */
export const isNewSignal = (lastMs, nowMs) => lastMs === null || nowMs - lastMs >= 1_000

const unanswered =
  /\bcode (EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT)\b/

/**
 * Whether npm reached no registry. An error of a registry, such as 404 of a private one, is an answer.
 * @param {string} output of npm on its standard error
 */
export const isUnanswered = (output) => unanswered.test(output)
