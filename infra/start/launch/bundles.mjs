// Finds, makes and keeps the bundles of a copy of the project. Plain JavaScript: the launcher runs it.
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning } from './install.mjs'

/** Bundles of a program that stay, beside those in use: a rebuild must not take the lazy parts of a running one. */
const keptMax = 3

/** @param {string} root @param {string} name of a program */
export const bundlesFolder = (root, name) => join(root, '.cache/bundles', name)

/** What a bundle was built from, written into its folder. */
export const stampFile = 'built-from.json'

/** The start of a bundle, in its folder. @param {string} name of a program */
export const startOf = (name) => `${name}.mjs`

/**
 * The size and the time of the last change of a file; null: there is none.
 * @param {string} file @returns {[number, number] | null}
 */
export const stampOf = (file) => {
  const found = statSync(file, { throwIfNoEntry: false })
  return found === undefined ? null : [found.size, found.mtimeMs]
}

/** npm writes it when it has finished an install. @param {string} root */
const packagesOf = (root) => stampOf(join(root, 'node_modules/.package-lock.json'))

/**
 * What a bundle of these files of ours is built from, and what it has.
 * @param {string} root
 * @param {ReadonlyMap<string, [number, number]>} files each file, from the root, as it was when it was read
 * @param {ReadonlyMap<string, number>} parts each file in the folder, with its size in bytes
 */
export const stampTextOf = (root, files, parts) =>
  `${JSON.stringify({ packages: packagesOf(root), files: [...files], parts: [...parts] })}\n`

/**
 * The newest bundle of a program that was built from the files as they are now, and that is whole: a loss of power soon
 * after the build leaves empty files. null: none.
 * @param {string} root @param {string} name
 */
export const currentBundle = (root, name) => {
  const folder = bundlesFolder(root, name)
  return (
    bundlesIn(folder)
      .map((id) => join(folder, id))
      .find((bundle) => isCurrent(root, bundle)) ?? null
  )
}

const isCurrent = (root, bundle) => {
  try {
    const { packages, files, parts } = JSON.parse(readFileSync(join(bundle, stampFile), 'utf8'))
    return (
      isSame(packages, packagesOf(root)) &&
      files.every(([file, stamp]) => isSame(stamp, stampOf(join(root, file)))) &&
      parts.every(([part, size]) => stampOf(join(bundle, part))?.[0] === size)
    )
  } catch {
    // of another version
    return false
  }
}

const isSame = (one, other) => one?.[0] === other?.[0] && one?.[1] === other?.[1]

/** Newest first: an id begins with the time. */
const bundlesIn = (folder) => {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d/.test(name))
      .toSorted((a, b) => b.localeCompare(a))
  } catch {
    return []
  }
}

/** Marks a bundle as in use by this process until it ends. @param {string} bundle its folder */
export const useBundle = (bundle) => {
  const mark = join(bundle, 'used-by', String(process.pid))
  try {
    mkdirSync(join(bundle, 'used-by'), { recursive: true })
    writeFileSync(mark, '')
  } catch {
    // a copy that this user may not change: nothing is removed from it either
    return
  }
  process.once('exit', () => {
    try {
      rmSync(mark, { force: true })
    } catch {}
  })
}

/**
 * Removes the oldest bundles of a program that no process uses, and what killed builds left.
 * @param {string} root @param {string} name
 */
export const removeOldBundles = (root, name) => {
  const folder = bundlesFolder(root, name)
  const old = bundlesIn(folder).slice(keptMax)
  const left = readdirSync(folder).filter(
    (entry) => entry.startsWith('.') && !isRunning(Number.parseInt(entry.slice(1), 10)),
  )
  for (const id of [...old.filter((id) => !isUsed(join(folder, id))), ...left]) {
    rmSync(join(folder, id), { recursive: true, force: true })
  }
}

const isUsed = (bundle) => {
  try {
    return readdirSync(join(bundle, 'used-by')).some((pid) => isRunning(Number(pid)))
  } catch {
    return false
  }
}
