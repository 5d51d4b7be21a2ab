import type { z } from 'zod'
import { allowNothing, type AllowList } from '../target/address.ts'
import { Catalog, CatalogService, CatalogStack } from './catalog.ts'
import { dottedKey, isDotted, nameKey } from './catalog-names.ts'
import { fieldProblems, type FieldProblem } from '../schema/refusal.ts'
import { targetProblem } from '../target/target.ts'

export type ParsedCatalog = { ok: true; catalog: Catalog } | { ok: false; problems: readonly FieldProblem[] }

/** A valid part of the file, with its path. */
type Placed<T> = { value: T; path: string }

/**
 * Validates a catalog file: its schema, and the rules between its parts. Probes must be allowed targets, a name or
 * domain must lead to one service, slugs must be unique, and members must exist.
 * @param value the parsed YAML or JSON
 * @returns the catalog, or all problems at once; the rules between parts skip invalid parts
 */
export const parseCatalog = (
  value: unknown,
  { allow = allowNothing }: { allow?: AllowList } = {},
): ParsedCatalog => {
  const parsed = Catalog.safeParse(value)
  const services = soundParts(CatalogService, value, 'services')
  const stacks = soundParts(CatalogStack, value, 'stacks')
  const problems = [
    ...(parsed.success ? [] : fieldProblems(parsed.error)),
    ...services.flatMap((service) => probeProblems(service, allow)),
    ...repeatedSlugs(services, 'service'),
    ...nameProblems(services),
    ...stackProblems(stacks, value),
  ]
  if (!parsed.success || problems.length > 0) return { ok: false, problems }
  return { ok: true, catalog: parsed.data }
}

const listOf = (value: unknown, key: 'services' | 'stacks'): unknown[] => {
  const list: unknown =
    typeof value === 'object' && value !== null && key in value ? Reflect.get(value, key) : null
  return Array.isArray(list) ? list : []
}

const soundParts = <T extends z.ZodType>(
  schema: T,
  value: unknown,
  key: 'services' | 'stacks',
): Placed<z.output<T>>[] =>
  listOf(value, key).flatMap((part, index) => {
    const parsed = schema.safeParse(part)
    return parsed.success ? [{ value: parsed.data, path: `${key}[${index}]` }] : []
  })

const probeProblems = (
  { value: { probes }, path }: Placed<CatalogService>,
  allow: AllowList,
): FieldProblem[] =>
  probes.flatMap(({ url }, index) => {
    const problem = targetProblem(url, { allow })
    return problem === null ? [] : [{ path: `${path}.probes[${index}].url`, message: problem.message }]
  })

const repeatedSlugs = (parts: Placed<{ slug: string }>[], what: string): FieldProblem[] => {
  const seen = new Set<string>()
  return parts.flatMap(({ value: { slug }, path }) => {
    if (seen.has(slug)) return [{ path: `${path}.slug`, message: `another ${what} has it` }]
    seen.add(slug)
    return []
  })
}

/** The lookup keys of a service. No other service may have them. */
const claimsOf = ({ value, path }: Placed<CatalogService>): { key: string; path: string }[] => {
  const names = [
    { name: value.slug, path: `${path}.slug` },
    { name: value.name, path: `${path}.name` },
    ...value.aliases.map((name, index) => ({ name, path: `${path}.aliases[${index}]` })),
  ]
  return [
    ...names.map(({ name, path }) => ({ key: `name ${nameKey(name)}`, path })),
    ...names
      .filter(({ name }) => isDotted(name))
      .map(({ name, path }) => ({ key: `domain ${dottedKey(name)}`, path })),
    ...value.domains.map((domain, index) => ({
      key: `domain ${domain}`,
      path: `${path}.domains[${index}]`,
    })),
  ]
}

const nameProblems = (services: Placed<CatalogService>[]): FieldProblem[] => {
  const owners = new Map<string, Placed<CatalogService>>()
  const problems = new Map<string, string>()
  for (const service of services) {
    for (const { key, path } of claimsOf(service)) {
      const owner = owners.get(key)
      if (key === 'name ') problems.set(path, 'must have a letter or a digit')
      else if (owner === undefined) owners.set(key, service)
      else if (owner.value.slug !== service.value.slug) {
        problems.set(path, `already leads to ${owner.value.slug}`)
      }
    }
  }
  return [...problems].map(([path, message]) => ({ path, message }))
}

/** Accepts members with other problems; those are reported for the service itself. */
const stackProblems = (stacks: Placed<CatalogStack>[], value: unknown): FieldProblem[] => {
  const slugs = new Set(
    listOf(value, 'services').map((service): unknown =>
      typeof service === 'object' && service !== null && 'slug' in service ? service.slug : null,
    ),
  )
  const ids = new Set<string>()
  const problems = stacks.flatMap(({ value: { id, members }, path }) => {
    const isRepeated = ids.has(id)
    ids.add(id)
    return [
      ...(isRepeated ? [{ path: `${path}.id`, message: 'another stack has it' }] : []),
      ...members.flatMap((member, index) =>
        memberProblem(member, index, members, slugs).map((message) => ({
          path: `${path}.members[${index}]`,
          message,
        })),
      ),
    ]
  })
  return [...repeatedSlugs(stacks, 'stack'), ...problems]
}

const memberProblem = (
  member: string,
  index: number,
  members: readonly string[],
  slugs: ReadonlySet<unknown>,
): string[] => {
  if (!slugs.has(member)) return [`no service has the slug ${member}`]
  return members.indexOf(member) < index ? ['is a member already'] : []
}
