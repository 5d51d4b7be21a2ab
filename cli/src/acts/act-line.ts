import type { CheckDetail } from '@probe-mesh/contracts/check/check'
import { readDetail } from '../api/named-checks.ts'
import type { Api } from '../api/open-api.ts'
import { mapResult, type Result } from '../api/request.ts'
import { setPaused, testChannel } from './check.ts'
import { failed } from './find.ts'
import { findIncident, openIncident, resolvedText, updateIncident } from './incident.ts'
import { endMaintenance, minutesOf, startMaintenance } from './maintenance.ts'

/** The acts of the live view, in the words of the commands. */
export const actLines = [
  'pause',
  'resume',
  'incident open <title>',
  'incident resolve',
  'maintenance start 30m <title>',
  'maintenance end',
  'channel test <name>',
] as const

/** Does what a line says about a check. @returns what was done */
export const actOnLine = async (api: Api, checkId: string, line: string): Promise<Result<string>> => {
  const words = line.trim().split(/\s+/)
  const [first = '', second = ''] = words
  const rest = words.slice(2).join(' ')
  switch (words.slice(0, 2).join(' ')) {
    case 'pause':
    case 'resume': {
      const paused = await ofCheck(api, checkId, (check) => setPaused(api, check, first === 'pause'))
      return mapResult(
        paused,
        ({ name, paused: isPaused }) => `${name} is ${isPaused ? 'paused' : 'measured again'}.`,
      )
    }
    case 'incident open': {
      if (rest === '') return failed('incident open needs a title.')
      const asked = { page: undefined, region: undefined, title: rest, body: rest }
      const opened = await ofCheck(api, checkId, (check) => openIncident(api, { check, ...asked }))
      return mapResult(
        opened,
        ({ title, region }) => `Opened the incident ${title} in ${region ?? 'no region'}.`,
      )
    }
    case 'incident resolve': {
      const resolved = await ofCheck(api, checkId, async ({ name }) => {
        const found = await findIncident(api, name)
        if (!found.ok) return found
        return updateIncident(api, found.value, { status: 'resolved', body: resolvedText })
      })
      return mapResult(resolved, ({ title }) => `The incident ${title} is resolved.`)
    }
    case 'maintenance start': {
      const [length = '', ...title] = words.slice(2)
      const durationMinutes = minutesOf(length)
      if (durationMinutes === null || title.length === 0) return failed('Say: maintenance start 30m <title>.')
      const text = title.join(' ')
      const started = await startMaintenance(api, {
        page: undefined,
        components: [],
        title: text,
        body: text,
        length: { durationMinutes },
      })
      return mapResult(
        started,
        (window) => `Maintenance of the whole page until ${window.endsAt}: ${window.title}.`,
      )
    }
    case 'maintenance end':
      return mapResult(
        await endMaintenance(api, rest || undefined),
        ({ title }) => `Maintenance ${title} is ended.`,
      )
    case 'channel test': {
      if (rest === '') return failed('channel test needs the name of a channel.')
      const tested = await testChannel(api, rest)
      if (!tested.ok || tested.value.delivered)
        return mapResult(tested, ({ channel }) => `${channel.name} got the test message.`)
      return failed(`${tested.value.channel.name} did not get the test message: ${tested.value.detail}`)
    }
    default:
      return failed(`There is no act "${[first, second].join(' ').trim()}". Acts: ${actLines.join(', ')}.`)
  }
}

const ofCheck = async <T>(
  api: Api,
  checkId: string,
  act: (check: CheckDetail) => Promise<Result<T>>,
): Promise<Result<T>> => {
  const read = await readDetail(api, checkId)
  return read.ok ? act(read.value) : read
}
