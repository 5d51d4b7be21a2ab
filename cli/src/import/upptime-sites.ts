import type { Remark } from './draft.ts'
import { counted } from './import-note.ts'
import { readYamlSource } from './read-yaml-source.ts'
import { tooMany } from './settle-checks.ts'
import type { Monitors } from './settle-checks.ts'
import { isMap, isSaid, shaped } from './shape.ts'
import { upptimeCheck } from './upptime-check.ts'
import { UpptimeSite } from './upptime-site.ts'

/** Reads the configuration of Upptime, `.upptimerc.yml`. */
export const upptimeSites = (source: string): Monitors => {
  const read = readYamlSource(source)
  if (!read.ok) return read
  const root = read.value
  const sites = isMap(root) ? root.sites : undefined
  if (!isMap(root) || !Array.isArray(sites)) {
    return { ok: false, problems: ['sites: must be the list of sites of a configuration'] }
  }
  const problems = tooMany(sites.length, 'sites')
  if (problems.length > 0) return { ok: false, problems }
  const { seconds, remarks } = schedule(root)
  const drafts = sites.flatMap((item: unknown, index) => {
    const at = `sites[${index}]`
    const shape = shaped(UpptimeSite, item, at)
    if (shape.ok) return [upptimeCheck(shape.value, { at, seconds })]
    problems.push(...shape.problems)
    return []
  })
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, drafts, about: [...remarks, ...settings(root), ...organisation(sites)] }
}

/** Sites have no interval of their own: a workflow runs them all, each 5 minutes by itself. */
const schedule = (root: Record<string, unknown>): { seconds: number | null; remarks: Remark[] } => {
  const { workflowSchedule } = root
  const cron = isMap(workflowSchedule) ? workflowSchedule.uptime : undefined
  if (!isSaid(cron)) return { seconds: 300, remarks: [] }
  const minutes =
    typeof cron === 'string' ? /^\*(?:\/([1-9]\d?))? \* \* \* \*$/.exec(cron.trim()) : null
  const every = Number(minutes?.[1] ?? 1)
  if (minutes !== null && 60 % every === 0) return { seconds: every * 60, remarks: [] }
  const message = 'is no number of minutes: the checks have the interval of the account'
  return { seconds: null, remarks: [{ field: 'workflowSchedule.uptime', message }] }
}

const settings = (root: Record<string, unknown>): Remark[] =>
  ['notifications', 'status-website', 'assignees', 'delay', 'user-agent']
    .filter((field) => isSaid(root[field]))
    .map((field) => ({ field, message: 'is not carried: a file has checks only' }))

const organisation = (sites: readonly unknown[]): Remark[] =>
  ['assignees', 'icon', 'slug', 'tags'].flatMap((field) => {
    const count = sites.filter((site) => isMap(site) && isSaid(site[field])).length
    const message = `is not carried (${counted(count, 'site')})`
    return count === 0 ? [] : [{ field: `sites.${field}`, message }]
  })
