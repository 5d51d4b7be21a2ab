import { z } from 'zod'
import { draftOf, skip, tooMany, unusedFields, unusedSettings, type Draft, type Monitors } from './draft.ts'
import { gatusCheck, GatusEndpoint } from './gatus-check.ts'
import { readYamlSource } from './read-yaml-source.ts'
import { isMap, isSet, shaped, text } from './shape.ts'

/** Reads a configuration of Gatus. */
export const gatusEndpoints = (source: string): Monitors => {
  const read = readYamlSource(source)
  if (!read.ok) return read
  const root = read.value
  const lists = isMap(root) ? kinds.filter(({ key }) => isSet(root[key])) : []
  if (!isMap(root) || lists.length === 0) {
    return { ok: false, problems: ['endpoints: must be the list of endpoints of a configuration'] }
  }
  const problems: string[] = []
  const drafts = lists.flatMap(({ key, one }) => {
    const list = root[key]
    if (!Array.isArray(list)) {
      problems.push(`${key}: must be a list`)
      return []
    }
    problems.push(...tooMany(list.length, key))
    if (problems.length > 0) return []
    return list.flatMap((item: unknown, index) => {
      const made = one(item, `${key}[${index}]`)
      if ('at' in made) return [made]
      problems.push(...made.problems)
      return []
    })
  })
  if (problems.length > 0) return { ok: false, problems }
  return {
    ok: true,
    drafts,
    about: [...unusedSettings(root, settings), ...unusedFields(root.endpoints, organization, 'endpoint')],
  }
}

type Made = Draft | { problems: string[] }

const endpoint = (item: unknown, at: string): Made => {
  const shape = shaped(GatusEndpoint, item, at)
  return shape.ok ? gatusCheck(shape.value, at) : shape
}

const skipped =
  (field: string, message: string) =>
  (item: unknown, at: string): Made => {
    const shape = shaped(z.object({ name: text }, 'must be a map'), item, at)
    if (!shape.ok) return shape
    const draft = draftOf({ name: shape.value.name, at, url: '' })
    skip(draft, field, message)
    return draft
  }

const heartbeat = 'receives pings: create it in the dashboard as a heartbeat check'
const journey = 'create it in the dashboard as a multistep check, which cannot pass values between steps'
const kinds = [
  { key: 'endpoints', one: endpoint },
  { key: 'external-endpoints', one: skipped('external-endpoints', heartbeat) },
  { key: 'suites', one: skipped('suites', journey) },
]

/** Notifications, maintenance and measurement settings of the whole configuration. */
const settings = ['alerting', 'maintenance', 'announcements', 'connectivity', 'remote', 'tunneling'] as const
const organization = ['group', 'alerts', 'maintenance-windows', 'extra-labels', 'ui'] as const
