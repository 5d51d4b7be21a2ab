import type { ErrorSettings } from '../contracts/error-settings.ts'
import type { Connection, Transaction } from '@probe-mesh/control-plane/src/stores/postgres/connect'

export type SettingsRow = {
  scrub_names: string[]
  keep_addresses: boolean
  filter_messages: string[]
  filter_releases: string[]
  filter_environments: string[]
  filter_browser_extensions: boolean
  filter_localhost: boolean
  filter_web_crawlers: boolean
}

/** The settings columns of `error_projects`. */
export const settingsColumns = (db: Connection) => db`
  scrub_names, keep_addresses, filter_messages, filter_releases, filter_environments,
  filter_browser_extensions, filter_localhost, filter_web_crawlers`

export const toErrorSettings = (row: SettingsRow): ErrorSettings => ({
  scrubNames: row.scrub_names,
  keepAddresses: row.keep_addresses,
  filters: {
    messages: row.filter_messages,
    releases: row.filter_releases,
    environments: row.filter_environments,
    browserExtensions: row.filter_browser_extensions,
    localhost: row.filter_localhost,
    webCrawlers: row.filter_web_crawlers,
  },
})

/** The scrub and filter settings of a project; null if missing or of another account. */
export const findErrorSettings = async (
  db: Connection,
  accountId: string,
  projectId: string,
): Promise<ErrorSettings | null> => {
  const [row] = await db<SettingsRow[]>`
    select ${settingsColumns(db)} from error_projects
    where id = ${projectId} and account_id = ${accountId}`
  return row === undefined ? null : toErrorSettings(row)
}

/** The commit notifies all control planes, which then read the project's keys again. */
export const updateErrorSettings = async (
  tx: Transaction,
  projectId: string,
  { scrubNames, keepAddresses, filters }: ErrorSettings,
): Promise<void> => {
  await tx`
    update error_projects set scrub_names = ${scrubNames}::text[], keep_addresses = ${keepAddresses},
      filter_messages = ${filters.messages}::text[],
      filter_releases = ${filters.releases}::text[],
      filter_environments = ${filters.environments}::text[],
      filter_browser_extensions = ${filters.browserExtensions},
      filter_localhost = ${filters.localhost}, filter_web_crawlers = ${filters.webCrawlers}
    where id = ${projectId}`
}
