import { posix } from 'node:path'
import type { Package, Room } from './room.ts'
import { effects, independent, pure, technologies } from './technologies.ts'

/** Files that no program runs: a test may import whatever it puts to the test. */
export const isTest = (path: string): boolean =>
  /\.test\.tsx?$|(?:^|\/)testing\/|(?:^|\/)testing[\w-]*\.tsx?$|contract-suite|\.fixture\.ts$/.test(path)

/** What a source file imports, types too: the names as they are written. Pure. */
export const importsOf = (text: string): string[] =>
  [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^'"\n;]*?(?:\{[^}]*\})?[^'"\n;]*?from\s*'([^']+)'|import\('([^']+)'\)|(?:^|\n)import '([^']+)'/g,
    ),
  ].map(([, from, called, alone]) => from ?? called ?? alone ?? '')

type Place = { package: Package; room: string }

/** The package and room of a file; null: no package has it. Pure. */
export const placeOf = (packages: readonly Package[], path: string): Place | null => {
  const own = packages.find(({ folder }) => path.startsWith(`${folder}/`))
  if (own === undefined) return null
  const [first = '', ...rest] = path.slice(own.folder.length + 1).split('/')
  return { package: own, room: rest.length === 0 ? '.' : first }
}

/** The file that a name in an import stands for; null: a package that is not ours. Pure. */
export const fileOf = (packages: readonly Package[], importer: string, name: string): string | null => {
  if (name.startsWith('.')) return posix.join(posix.dirname(importer), name)
  const [, workspace, path = ''] = /^@probe-mesh\/([a-z-]+)(?:\/(.+))?$/.exec(name) ?? []
  const own = packages.find((one) => one.name === workspace)
  return own === undefined ? null : `${own.folder}/${path}.ts`
}

/** Rooms that list themselves, a room above them, or one that does not exist. Pure. */
export const judgeTable = (packages: readonly Package[]): string[] =>
  packages.flatMap(({ name, rooms }) =>
    rooms.flatMap((room, at) =>
      room.imports.flatMap((imported) => {
        const below = rooms.findIndex((one) => one.name === imported)
        if (below > at) return []
        return [`${name}: "${room.name}" lists "${imported}", which does not stand below it`]
      }),
    ),
  )

/**
 * Every import that the table does not allow, every file in a folder that the table does not name, and every
 * allowance that nothing uses. Pure.
 * @param files the text of each source file by its path in the repository; a test is judged by its folder and by
 * the packages that it imports
 */
export const judgeImports = (packages: readonly Package[], files: ReadonlyMap<string, string>): string[] => {
  const problems: string[] = []
  const used = new Set<string>()
  for (const [path, text] of files) {
    const place = placeOf(packages, path)
    if (place === null) {
      if (!isBeside(packages, path)) problems.push(`${path}: the rule does not name its folder`)
      continue
    }
    const room = place.package.rooms.find(({ name }) => name === place.room)
    if (room === undefined) {
      const folder = `the folder "${place.room}" of ${place.package.name}`
      problems.push(`${path}: the rule does not name ${folder}`)
      continue
    }
    const names = importsOf(text)
    if (!isTest(path)) {
      problems.push(...judgeTechnologies(path, names), ...judgeIndependence(packages, path, names))
    }
    for (const name of names) {
      const target = fileOf(packages, path, name)
      const there = target === null ? null : placeOf(packages, target)
      if (target === null || there === null || !/\.tsx?$/.test(target)) continue
      if (there.package !== place.package) {
        const allowed = isTest(path) ? testImports(packages, place.package) : place.package.imports
        if (!allowed.includes(there.package.name)) {
          problems.push(`${path}: ${place.package.name} may not import ${there.package.name}`)
        }
        continue
      }
      if (there.room === place.room || isTest(path) || isTest(target)) continue
      used.add(`${place.package.name} ${place.room} ${there.room}`)
      if (!room.imports.includes(there.room)) {
        problems.push(`${path}: "${place.room}" may not import "${there.room}" (${name})`)
      }
    }
  }
  const unused = packages.flatMap(({ name, rooms }) =>
    rooms.flatMap((room) =>
      room.imports
        .filter((imported) => !used.has(`${name} ${room.name} ${imported}`))
        .map((imported) => `${name}: "${room.name}" may import "${imported}" and does not`),
    ),
  )
  return [...judgeTable(packages), ...problems, ...unused]
}

const isBelow = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

/** Packages that only other folders know, and effects in a pure folder. Pure. */
const judgeTechnologies = (path: string, names: readonly string[]): string[] => {
  const known = technologies
    .filter(({ folders }) => !folders.some((folder) => isBelow(path, folder)))
    .flatMap(({ name, packages, instead }) =>
      names
        .filter((one) => packages.some((p) => (p.endsWith('/') ? one.startsWith(p) : one === p)))
        .map((one) => `${path}: "${one}" is ${name}, which this folder does not know. ${instead}`),
    )
  const decides = pure.some((folder) => isBelow(path, folder))
  const effective = decides ? names.filter((name) => effects.includes(name)) : []
  return [
    ...known,
    ...effective.map((name) => `${path}: "${name}" has effects, and this folder decides only`),
  ]
}

/** Imports of the product in folders that judge it or do not know it. Pure. */
const judgeIndependence = (
  packages: readonly Package[],
  path: string,
  names: readonly string[],
): string[] => {
  const own = Object.keys(independent).find((folder) => isBelow(path, folder))
  if (own === undefined) return []
  const allowed = [own, ...(independent[own] ?? [])]
  return names
    .filter((name) => {
      const target = fileOf(packages, path, name)
      return target !== null && !allowed.some((folder) => isBelow(target, folder))
    })
    .map((name) => `${path}: "${own}" may not import ${name}: it shares nothing with the product`)
}

/** Files beside the rooms: of the repository, of a package, and of this rule. */
const isBeside = (packages: readonly Package[], path: string): boolean => {
  const [folder, ...rest] = path.split('/')
  if (rest.length === 0 || folder === 'dependency-rule') return true
  return rest.length === 1 && packages.some(({ name }) => name === folder)
}

/** A test of a program starts servers and whole programs; only what proves the whole imports such proofs. */
const proofs = new Set(['acceptance', 'bench'])
const testImports = (packages: readonly Package[], { name, imports }: Package): readonly string[] =>
  proofs.has(name) ? imports : packages.map((one) => one.name).filter((one) => !proofs.has(one))

/**
 * Rooms by floor: the ground floor imports no room, and each room stands on the highest that it imports. Top
 * floor first. Pure.
 */
export const floorsOf = ({ rooms }: Package): Room[][] => {
  const floors: Room[][] = []
  const height = new Map<string, number>()
  for (const room of rooms.toReversed()) {
    const floor = Math.max(0, ...room.imports.map((name) => (height.get(name) ?? 0) + 1))
    height.set(room.name, floor)
    ;(floors[floor] ??= []).unshift(room)
  }
  return floors.toReversed()
}
