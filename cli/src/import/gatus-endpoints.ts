import { z } from 'zod'
import { counted, draftOf, skip, tooMany } from './draft.ts'
import type { Draft, Monitors, Remark } from './draft.ts'
import { gatusCheck, GatusEndpoint } from './gatus-check.ts'
import { readYamlSource } from './read-yaml-source.ts'
import { isMap, isSaid, shaped, text } from './shape.ts'

/** Reads a configuration of Gatus. */
export const gatusEndpoints = (source: string): Monitors => {
  const read = readYamlSource(source)
  if (!read.ok) return read
  const root = read.value
  const lists = isMap(root) ? kinds.filter(({ key }) => isSaid(root[key])) : []
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
  return { ok: true, drafts, about: [...settings(root), ...organisation(root.endpoints)] }
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

const heartbeat =
  'is pushed, not measured: create it in the dashboard as a heartbeat check, whose job pings it'
const journey = 'create it in the dashboard as a multistep check, without values between its steps'
const kinds = [
  { key: 'endpoints', one: endpoint },
  { key: 'external-endpoints', one: skipped('external-endpoints', heartbeat) },
  { key: 'suites', one: skipped('suites', journey) },
]

/** Of the whole configuration: what tells somebody of failures, or says when they do not count. */
const settings = (root: Record<string, unknown>): Remark[] =>
  ['alerting', 'maintenance', 'announcements', 'connectivity', 'remote', 'tunneling']
    .filter((field) => isSaid(root[field]))
    .map((field) => ({ field, message: 'is not carried: a file has checks only' }))

const organisation = (list: unknown): Remark[] =>
  ['group', 'alerts', 'maintenance-windows', 'extra-labels', 'ui'].flatMap((field) => {
    const count = Array.isArray(list)
      ? list.filter((item) => isMap(item) && isSaid(item[field])).length
      : 0
    const message = `is not carried (${counted(count, 'endpoint')})`
    return count === 0 ? [] : [{ field, message }]
  })
