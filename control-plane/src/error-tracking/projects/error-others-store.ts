import type { ErrorProjectDetails } from '@probe-mesh/contracts/error-tracking/error-project'
import type { Connection } from '../../stores/postgres/connect.ts'

/**
 * What a project's SDKs say that they threw away themselves in one month, most first.
 * @param month as `monthOf` writes it
 */
export const findClientReports = async (
  connection: Connection,
  accountId: string,
  projectId: string,
  month: string,
): Promise<ErrorProjectDetails['clientReports']> => {
  const rows = await connection<{ reason: string; category: string; quantity: string }[]>`
    select reason, category, quantity from error_client_reports
    where project_id = ${projectId} and account_id = ${accountId} and month = ${month}::date
    order by error_client_reports.quantity desc, reason, category`
  return rows.map((row) => ({ ...row, quantity: Number(row.quantity) }))
}

/** Items of one month that came beside a project's events and are not kept, most first. */
export const findUnsupportedItems = async (
  connection: Connection,
  accountId: string,
  projectId: string,
  month: string,
): Promise<ErrorProjectDetails['unsupported']> => {
  const rows = await connection<{ type: string; items: string }[]>`
    select type, items from error_unsupported_items
    where project_id = ${projectId} and account_id = ${accountId} and month = ${month}::date
    order by error_unsupported_items.items desc, type`
  return rows.map(({ type, items }) => ({ type, items: Number(items) }))
}
