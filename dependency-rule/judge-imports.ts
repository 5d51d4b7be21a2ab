import { posix } from 'node:path'
import { layered, layerOf, passesDoorBy } from './layers.ts'
import { isProof, isTest } from './is-test.ts'
import type { Package, Room } from './room.ts'
import { effects, independent, pure, technologies } from './technologies.ts'

/** The imports of a source file as written, including types. */
const importsOf = (text: string): string[] =>
  [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^'"\n;]*?(?:\{[^}]*\})?[^'"\n;]*?from\s*'([^']+)'|import\('([^']+)'\)|(?:^|\n)import '([^']+)'/g,
    ),
  ].map(([, from, called, alone]) => from ?? called ?? alone ?? '')

type Place = { package: Package; room: string }

/** The package and room of a file; null: none. A file of a check type belongs to the program of its layer. */
const placeOf = (packages: readonly Package[], path: string): Place | null => {
  const layer = layerOf(path)
  if (layer !== null) {
    const of = packages.find(({ name }) => name === layer.package)
    return of === undefined ? null : { package: of, room: layer.room }
  }
  const own = packages.find(({ folder }) => path.startsWith(`${folder}/`))
  if (own === undefined) return null
  const [first = '', ...rest] = path.slice(own.folder.length + 1).split('/')
  return { package: own, room: rest.length === 0 ? '.' : first }
}

/** The file that an import names; null: an external package. */
export const fileOf = (packages: readonly Package[], importer: string, name: string): string | null => {
  if (name.startsWith('.')) return posix.join(posix.dirname(importer), name)
  const [, workspace, path = ''] = /^@probe-mesh\/([a-z-]+)(?:\/(.+))?$/.exec(name) ?? []
  if (layered.includes(workspace ?? '')) return `${workspace}/${path}.ts`
  const own = packages.find((one) => one.name === workspace)
  if (own === undefined) return null
  return path.startsWith('src/') ? `${own.name}/${path}.ts` : `${own.folder}/${path}.ts`
}

/** Rooms that list themselves, a room above them, or an unknown room. */
export const judgeTable = (packages: readonly Package[]): string[] =>
  packages.flatMap(({ name, rooms }) =>
    rooms.flatMap((room, at) =>
      room.imports.flatMap((imported) => {
        const below = rooms.findIndex((one) => one.name === imported)
        if (below > at) return []
        return [`${name}: "${room.name}" lists "${imported}", which is not below it`]
      }),
    ),
  )

/**
 * Lists every import that the table does not allow, every file in a folder that the table does not name, and
 * every unused allowance.
 * @param files the text of each source file by its path in the repository; a test is judged by its folder and
 * by the packages that it imports
 */
export const judgeImports = (packages: readonly Package[], files: ReadonlyMap<string, string>): string[] => {
  const problems: string[] = []
  const used = new Set<string>()
  for (const [path, text] of files) {
    const place = placeOf(packages, path)
    if (place === null) {
      if (!isOutsideRooms(packages, path)) problems.push(`${path}: the rule does not name its folder`)
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
      if (passesDoorBy(path, target) && !isTest(path) && !isProof(path)) {
        problems.push(`${path}: "${name}" is behind error-tracking/feature`)
      }
      if (there.package !== place.package) {
        problems.push(...judgeOtherPackage(packages, { path, name }, place.package, there.package))
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

/** An import of another package: not allowed, or through the door for tests. */
const judgeOtherPackage = (
  packages: readonly Package[],
  { path, name }: { path: string; name: string },
  own: Package,
  other: Package,
): string[] => {
  const problems: string[] = []
  if (name.startsWith(`@probe-mesh/${other.name}/src/`) && !isTest(path) && !isProof(path)) {
    problems.push(`${path}: "${name}" is for tests. Import the module without "src/"`)
  }
  const allowed = isTest(path) ? testImports(packages, own) : own.imports
  if (!allowed.includes(other.name)) problems.push(`${path}: ${own.name} may not import ${other.name}`)
  return problems
}

const isBelow = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

/** Imports of technologies outside their folders, and effects in a pure folder. */
const judgeTechnologies = (path: string, names: readonly string[]): string[] => {
  const known = technologies
    .filter(({ folders }) => !folders.some((folder) => isBelow(path, folder)))
    .flatMap(({ name, packages, instead }) =>
      names
        .filter((one) => packages.some((p) => (p.endsWith('/') ? one.startsWith(p) : one === p)))
        .map((one) => `${path}: "${one}" is ${name}, which this folder may not use. ${instead}`),
    )
  const decides = pure.some((folder) => isBelow(path, folder))
  const effective = decides ? names.filter((name) => effects.includes(name)) : []
  return [...known, ...effective.map((name) => `${path}: "${name}" has effects, and this folder is pure`)]
}

/** Imports of the product in folders that are independent of it. */
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

/** Files outside all rooms: at the root of the repository or of a package, and of this rule. */
const isOutsideRooms = (packages: readonly Package[], path: string): boolean => {
  const [folder, ...rest] = path.split('/')
  if (rest.length === 0 || folder === 'dependency-rule') return true
  return rest.length === 1 && packages.some(({ name }) => name === folder)
}

/** Tests may start servers and whole programs, but only acceptance and bench import those two packages. */
const proofs = new Set(['acceptance', 'bench'])
const testImports = (packages: readonly Package[], { name, imports }: Package): readonly string[] =>
  proofs.has(name) ? imports : packages.map((one) => one.name).filter((one) => !proofs.has(one))

/**
 * Groups rooms by floor, top floor first. The ground floor imports no room; each other room is one floor
 * above the highest that it imports.
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
