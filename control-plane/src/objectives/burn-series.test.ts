import { useClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { describe, expect, test } from 'vitest'
import { useAlertScenario } from '../app/alerting/testing/use-alert-scenario.ts'
import { insertReadings, type ReadingRow } from '../readings/insert-readings.ts'
import { readingAt } from '../status/testing.ts'
import { judgeNextAccount } from './judge-burns.ts'
import { insertHistories, insertObjective } from './testing/insert-objective.ts'
import { workbookAlerts, type ExpectedAlert, type MinuteCounts } from './testing/workbook.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const historyMinutes = 3 * 24 * 60 + 60
const walkMinutes = 420
const stepMinutes = 10
/** Minute 0 of the series: the walk ends now, so that no stored row expires. */
const beginMs = Math.floor((Date.now() - walkMinutes * minuteMs) / hourMs) * hourMs

const none: MinuteCounts = { up: 0, down: 0 }
const up: MinuteCounts = { up: 1, down: 0 }
const down: MinuteCounts = { up: 0, down: 1 }
const between = (minute: number, from: number, to: number): boolean => minute >= from && minute < to

type Series = { at: (minute: number) => MinuteCounts; alerts: string[]; everyMinutes?: number }

/** Series of an objective of 95 % by minutes, and the pairs that alert in each, in order. */
const series: Readonly<Record<string, Series>> = {
  healthy: { at: () => up, alerts: [] },
  'fast burn': { at: (minute) => (between(minute, 60, 180) ? down : up), alerts: ['1h', '6h'] },
  'slow burn': { at: (minute) => (minute >= 0 && minute % 3 === 0 ? down : up), alerts: ['6h'] },
  'burn of days': { at: (minute) => ((minute + 4_800) % 16 === 0 ? down : up), alerts: ['3d'] },
  'spike too short': { at: (minute) => (between(minute, 60, 70) ? down : up), alerts: [] },
  'recovered before': { at: (minute) => (between(minute, -180, -40) ? down : up), alerts: [] },
  'exactly at the threshold': {
    at: (minute) => (minute < 0 ? none : { up: 7, down: 18 }),
    alerts: ['1h', '6h'],
  },
  'just below the threshold': {
    at: (minute) => (minute < 0 ? none : { up: 8, down: 17 }),
    alerts: ['6h'],
  },
  'no probe was judged': { at: () => none, alerts: [] },
  'no data during a burn': {
    at: (minute) => (minute < 0 ? up : minute < 90 ? down : none),
    alerts: ['1h'],
  },
  'low traffic': {
    at: (minute) => (minute % 15 !== 0 ? none : minute === 60 || minute === 240 ? down : up),
    alerts: [],
    everyMinutes: 15,
  },
  'exists for minutes': { at: (minute) => (minute < 395 ? none : down), alerts: [] },
  'exists for an hour': { at: (minute) => (minute < 360 ? none : down), alerts: ['1h'] },
  'burns again': {
    at: (minute) => (between(minute, 0, 60) || between(minute, 180, 240) ? down : up),
    alerts: ['1h', '1h', '6h'],
  },
}

const stage = useAlertScenario()
const clickhouse = useClickHouse()

/** 25 probes of a minute are five of five regions. */
const rowsOf = (checkId: string, minute: number, counts: MinuteCounts): ReadingRow[] =>
  Array.from({ length: counts.up + counts.down }, (_, index) => {
    const atMs = beginMs + minute * minuteMs + index
    const verdict = index < counts.down ? 'down' : 'up'
    return {
      reading: readingAt(`r${index % 5}`, verdict, atMs, { checkId }),
      agent: 'fra-1',
      receivedAtMs: atMs,
      rawDays: 90,
      hourDays: 800,
    }
  })

describe('burn alerts', () => {
  test('fire on 14 constructed series as the workbook says, once for each begin and each end', async () => {
    const { game, sql, accountId } = stage
    const names = Object.keys(series)
    const checkIds = await game.checks(accountId, names)
    for (const [index, { at, everyMinutes = 1 }] of Object.values(series).entries()) {
      const { up: good, down: bad } = at(2)
      const everySeconds = good + bad === 25 ? 12 : everyMinutes * 60
      await insertHistories(sql, [checkIds[index] ?? ''], beginMs - historyMinutes * minuteMs, everySeconds)
    }
    const channelId = await game.channel(accountId)
    const rule = await game.rule(accountId)
    for (const [index, name] of names.entries()) {
      await insertObjective(sql, {
        accountId,
        name,
        target: 95,
        checkId: checkIds[index] ?? '',
        alertRuleId: rule.id,
      })
    }
    const insert = async (from: number, to: number): Promise<void> => {
      const rows = names.flatMap((name, index) =>
        Array.from({ length: to - from }, (_, at) =>
          rowsOf(checkIds[index] ?? '', from + at, series[name]?.at(from + at) ?? none),
        ).flat(),
      )
      await insertReadings(clickhouse, rows, `${from}`)
    }
    for (let from = -historyMinutes; from < 0; from += 1_460) await insert(from, from + 1_460)

    const judged: number[] = []
    for (let minute = 0; minute <= walkMinutes; minute += stepMinutes) {
      await insert(minute === 0 ? 0 : minute - stepMinutes + 1, minute + 1)
      game.clock.nowMs = beginMs + minute * minuteMs + 30_000
      expect(await judgeNextAccount({ ...game.context, clickhouse })).toBe(true)
      judged.push(beginMs / minuteMs + minute)
    }

    const sent = await game.deliveries(accountId)
    expect(sent.every((each) => each.channelId === channelId)).toBe(true)
    const learned = (name: string): ExpectedAlert[] =>
      sent
        .filter(({ message }) => message.facts[0]?.value === name)
        .map(({ message }) => ({
          pair: message.alertKey.split(':')[2] ?? '',
          event: message.event as ExpectedAlert['event'],
          minute: Math.floor(Date.parse(message.at) / minuteMs),
        }))
    for (const [name, { at, alerts, everyMinutes }] of Object.entries(series)) {
      const model = workbookAlerts((minute) => at(minute - beginMs / minuteMs), 5, judged, everyMinutes)
      const byTime = (all: ExpectedAlert[]) =>
        all.toSorted((a, b) => a.minute - b.minute || (a.pair < b.pair ? -1 : 1))
      expect.soft({ name, sent: byTime(learned(name)) }).toEqual({ name, sent: byTime(model) })
      const began = model.filter(({ event }) => event === 'alert').map(({ pair }) => pair)
      expect.soft({ name, began: began.toSorted() }).toEqual({ name, began: alerts.toSorted() })
    }
  }, 120_000)
})
