import type { Finding } from '../finding.ts'

/** The findings that are not ok, such as `broken nats, warning lag`. */
export const worst = (findings: readonly Finding[]): string =>
  findings
    .filter(({ level }) => level !== 'ok')
    .map(({ level, topic }) => `${level} ${topic}`)
    .join(', ')
