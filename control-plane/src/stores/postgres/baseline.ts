/** The file that makes a new database as the version of 2026-11-29 left it. */
export const baselineFile = '0136-baseline.sql'

/** The migrations that this file stands for, by their names in a database: of that version they are complete. */
export const baselineMigrations: readonly string[] = `
  0001-accounts-and-checks 0002-readings-and-status 0003-leases 0004-check-types 0005-heartbeats 0006-isolation
  0007-pages 0008-deliveries 0009-alerts 0010-sessions 0011-budgets 0012-catalog 0013-reports 0014-quarantine
  0015-shared-state 0016-error-tracking 0017-sign-ups 0018-error-keys 0019-error-events 0020-source-maps
  0021-error-filters 0022-error-alerts 0023-asked-hosts 0024-retention 0030-private-agents 0031-set-aside
  0032-relay-budgets 0034-region-doubts 0035-unconfirmed 0038-suspended-accounts 0039-account-budgets
  0040-shares 0043-operators-account 0044-delivery-shares 0045-subscription-mails 0046-login-marks
  0047-not-operators-account 0048-subscription-shares 0052-certificates 0053-domains 0055-none-up
  0056-incident-members 0057-cancelled-maintenance 0058-spread-slots 0061-mesh-notices 0064-system
  0065-agent-instance 0066-epochs 0067-check-tags 0070-outages 0071-alerted-checks 0072-counts
  0075-component-order 0076-incident-impact 0077-maintenance-revision 0078-logos 0105-replaced-checks
  0106-members 0107-alert-addresses 0108-time-zones 0110-alert-acts 0111-on-call 0115-check-parents
  0116-check-providers 0118-failing-channels 0119-heartbeat-advice 0120-check-notes 0121-pause-ends
  0122-saved-filters 0123-objectives 0124-secrets 0127-status-rules 0128-region-bursts 0130-burn-alerts
  0131-telemetry 0135-objective-latency 0136-burn-alert-receivers
`
  .trim()
  .split(/\s+/)
  .map((name) => `${name}.sql`)

/** What to do with a database or a backup from before the baseline. */
export const beforeBaseline =
  'it is of a version before 2026-11-29. Upgrade it to that version (commit 5db879e6) first: docs/upgrades.md'
