import { readFile } from 'node:fs/promises'

type Panel = {
  id: number
  type: string
  title: string
  datasource?: { uid: string }
  targets?: { expr: string; datasource: { uid: string } }[]
}
type Dashboard = { templating: { list: { name: string; type: string; query: unknown }[] }; panels: Panel[] }

/** The dashboard of an account's checks, as Grafana imports it. */
export const readAccountDashboard = async (): Promise<Dashboard> =>
  JSON.parse(await readFile(new URL('account.json', import.meta.url), 'utf8')) as Dashboard

/** Its queries as Prometheus gets them. */
export const queriesOf = ({ panels }: Dashboard): string[] =>
  panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) => expr.replaceAll('$__range', '6h').replaceAll(/\$(check|region)\b/g, '.*')),
  )
