import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { runToEnd } from './child.mjs'
import { broughtNode, nodePackage, parseRemembered, planInstall } from './decisions.mjs'

const otherInstallWaitMs = 600_000
const otherInstallPollMs = 500

/** A failure that the person at the terminal can act upon: shown without a stack. */
export class LaunchError extends Error {}

/** Install scripts run for nobody: what they would do for ours, the programs do themselves. */
const always = ['--ignore-scripts', '--no-audit', '--no-fund']
const installs = {
  // what is there stays, since a program may be running from it
  development: ['install', '--no-save', '--include=dev', ...always],
  all: ['ci', '--include=dev', ...always],
  production: ['ci', '--omit=dev', ...always],
}

const whatIsDone = {
  development: 'installing the packages of tests and tools beside the others (npm install)',
  all: 'installing the dependencies (npm ci); the first time this takes about a minute',
  production: 'installing the dependencies of production (npm ci); the first time this takes about a minute',
}

/**
 * Brings node_modules to what package-lock.json says.
 * @param {string} root @param {string} node the binary to run npm with
 * @param {(message: string) => void} say
 * @param {{ needsDevelopment: boolean }} what whether the packages of tests and tools are needed
 */
export const ensureDependencies = async (root, node, say, { needsDevelopment }) => {
  const lock = join(root, 'package-lock.json')
  const remembered = join(root, 'node_modules/.probe-mesh-lock')
  const lockHash = createHash('sha256').update(readFileSync(lock)).digest('hex')
  // npm writes this file when an install is complete.
  const installed = join(root, 'node_modules/.package-lock.json')
  const plan = () => {
    const last = existsSync(remembered) ? parseRemembered(readFileSync(remembered, 'utf8')) : null
    return planInstall({
      lockHash,
      remembered: last,
      lockChangedMs: statSync(lock).mtimeMs,
      installedMs: changedMs(installed),
      foundDevelopment: needsDevelopment && last?.lockHash !== lockHash && hasDevelopment(lock, installed),
      needsDevelopment,
    })
  }
  if (plan() === 'nothing') return
  await alone(root, say, async () => {
    const planned = plan()
    if (planned === 'nothing') return
    say(whatIsDone[planned])
    await npm(root, node, installs[planned])
    writeFileSync(remembered, `${lockHash} ${planned === 'production' ? 'production' : 'all'}\n`)
    for (const name of unverified(root, lock)) {
      say(`${name} was installed without a checksum: package-lock.json has none (npm run lockfile)`)
    }
  })
}

/** @returns {Record<string, { dev?: boolean, integrity?: string, link?: boolean }>} by folder */
const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages ?? {}

/** Whether what is installed has packages that only development needs, where the lockfile names any. */
const hasDevelopment = (lock, installed) => {
  try {
    if (!Object.values(packagesOf(lock)).some(({ dev }) => dev === true)) return true
    // a folder that a package links to is there whether it is installed or not
    return Object.entries(packagesOf(installed)).some(
      ([folder, { dev }]) => dev === true && folder.startsWith('node_modules/'),
    )
  } catch {
    // npm says what is wrong with the lockfile
    return false
  }
}

/** Packages in node_modules that nothing was held against. */
const unverified = (root, lock) =>
  Object.entries(packagesOf(lock)).flatMap(([folder, { integrity, link }]) =>
    folder.includes('node_modules/') &&
    link !== true &&
    integrity === undefined &&
    existsSync(join(root, folder))
      ? [folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)]
      : [],
  )

/**
 * Brings Node itself, from npm and by its lockfile's checksum, and leaves the system's as it is.
 * @param {string} root @param {(message: string) => void} say
 * @returns {Promise<string>} the path of the binary
 */
export const ensureNode = async (root, say) => {
  const { platform, arch, versions } = process
  const name = nodePackage({ platform, arch, glibc: isGlibc() })
  if (name === null) {
    throw new LaunchError(
      `Node ${versions.node} is too old, and there is none to bring along for ${platform}-${arch}. Install Node 24 (22.19 or newer will do): https://nodejs.org`,
    )
  }
  const folder = join(root, 'infra/start/node')
  const binary = join(folder, 'node_modules', name, 'bin/node')
  const isThere = () => existsSync(binary) && packageVersion(folder, name) === broughtNode
  if (isThere()) return binary
  await alone(root, say, async () => {
    if (isThere()) return
    say(`Node ${versions.node} is too old: fetching Node ${broughtNode} into infra/start/node`)
    await npm(folder, process.execPath, [
      'ci',
      '--ignore-scripts',
      '--include=optional',
      '--no-audit',
      '--no-fund',
    ])
  })
  if (isThere()) return binary
  throw new LaunchError(`npm left no Node in ${binary}. Install Node 24 (22.19 or newer will do).`)
}

const npm = async (folder, node, flags) => {
  const script = process.env.npm_execpath
  const isScript = script !== undefined && script.endsWith('npm-cli.js')
  const command = isScript ? [node, script] : ['npm']
  const code = await runToEnd([...command, ...flags, '--prefix', folder], {
    cwd: folder,
    env: { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) },
    output: 'stderr',
  })
  if (code === 0) return
  throw new LaunchError(
    `npm ${flags[0]} in ${folder} failed with code ${code}; what it said stands above. Nothing was started.`,
  )
}

/** Two npm in one folder would spoil each other's work: the second waits, and finds it done. */
const alone = async (root, say, act) => {
  const file = join(root, '.cache/installing')
  mkdirSync(join(root, '.cache'), { recursive: true })
  const end = performance.now() + otherInstallWaitMs
  for (let told = false; !take(file); told = true) {
    const holder = Number(existsSync(file) ? readFileSync(file, 'utf8') : 0)
    if (holder > 0 && !isRunning(holder)) {
      rmSync(file, { force: true })
      continue
    }
    if (!told) say(`waiting for another install (process ${holder})`)
    if (performance.now() > end) throw new LaunchError(`another install holds ${file}`)
    await wait(otherInstallPollMs)
  }
  try {
    await act()
  } finally {
    rmSync(file, { force: true })
  }
}

const take = (file) => {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

const isRunning = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

const changedMs = (file) => (existsSync(file) ? statSync(file).mtimeMs : null)

const packageVersion = (folder, name) =>
  JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version

/** The packages hold binaries for glibc; on musl (Alpine) they would not start. */
const isGlibc = () =>
  process.platform !== 'linux' || process.report.getReport().header.glibcVersionRuntime !== undefined
