import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { insertOccurrences } from '@probe-mesh/error-tracking/persist/insert-occurrences'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'

/**
 * Stores occurrences made of these texts, as a reporting program writes them.
 * @param texts one occurrence each
 */
export const plantOccurrences = async (
  clickhouseUrl: string,
  issue: { id: string; projectId: string },
  texts: readonly string[],
  nowMs: number,
): Promise<void> => {
  const clickhouse = connectClickHouse(clickhouseUrl)
  const rows = texts.map((text, number) => ({
    issueId: issue.id,
    keepDays: 90,
    event: {
      eventId: uuidv7(nowMs + number).replaceAll('-', ''),
      projectId: issue.projectId,
      at: nowMs - number * 1_000,
      receivedAt: nowMs,
      level: 'error',
      platform: text,
      release: text,
      environment: text,
      transaction: text,
      type: text,
      message: text,
      frames: [{ file: text, function: text, line: 1, column: 2, inApp: true }],
      tags: { zq: text, [text.slice(0, 40)]: text },
      context: {
        request: { url: text, headers: { [text.slice(0, 40)]: text }, data: text },
        breadcrumbs: [{ category: text, message: text, data: { zq: text } }],
        variables: [{ frame: 0, values: { [text.slice(0, 40)]: text } }],
        extra: { [text.slice(0, 40)]: [text, { zq: text }] },
      },
      grouping: { version: 1, hash: '0'.repeat(64), title: text, culprit: text },
    },
  }))
  try {
    const batch = uuidv7(nowMs)
    await insertOccurrences(clickhouse, rows, { batch, token: batch })
  } finally {
    await clickhouse.close()
  }
}
