/** A document of the repository that is also on the web. */
export type Guide = {
  /** The last part of its address, `/docs/<slug>`. */
  slug: string
  /** From the root of the repository. */
  file: string
  title: string
  /** Its purpose, in a few words. */
  about: string
}

export type GuideGroup = { title: string; guides: readonly Guide[] }

const guide = (slug: string, file: string, title: string, about: string): Guide => ({
  slug,
  file,
  title,
  about,
})

/** All user documents, in the order of the navigation. Documents for developers stay in the repository. */
export const guideGroups: readonly GuideGroup[] = [
  {
    title: 'Use it',
    guides: [
      guide('is-it-down', 'docs/guides/is-it-down.md', 'Is it down?', 'Whether a well-known service works'),
      guide('checks', 'docs/checks.md', 'Types of checks', 'What each type measures, and its fields'),
      guide('alerts', 'docs/guides/alerts.md', 'Alerts', 'Channels, rules and delivery'),
      guide('status-pages', 'docs/guides/status-pages.md', 'Status pages', 'Publish checks and incidents'),
      guide(
        'error-tracking',
        'docs/guides/error-tracking.md',
        'Error tracking',
        'Errors from any Sentry SDK',
      ),
      guide(
        'private-agents',
        'docs/guides/private-agents.md',
        'Private agents',
        'Measure inside your network',
      ),
    ],
  },
  {
    title: 'Automate it',
    guides: [
      guide('rest-api', 'docs/guides/api.md', 'REST API', 'Create checks, read results, follow changes'),
      guide(
        'checks-as-code',
        'docs/guides/checks-as-code.md',
        'Checks as code',
        'Checks in a file, applied in CI, imported from others',
      ),
      guide('prometheus', 'docs/guides/prometheus.md', 'Prometheus and Grafana', 'Your checks as metrics'),
      guide('cli', 'docs/cli.md', 'Command line', 'Every command, file and exit code'),
      guide('terraform', 'terraform/README.md', 'Terraform', 'Checks and pages as resources'),
      guide(
        'assistants',
        'docs/guides/assistants.md',
        'Assistants (MCP)',
        'Connect Claude, Cursor and others',
      ),
    ],
  },
  {
    title: 'Look it up',
    guides: [
      guide('reasons', 'docs/reasons.md', 'Reasons', 'Why a reading is not up, and what to do'),
      guide('plans', 'docs/tiers.md', 'Plans and limits', 'What each plan allows'),
    ],
  },
  {
    title: 'Terraform resources',
    guides: [
      guide('terraform-provider', 'terraform/docs/index.md', 'Provider', 'Address and key'),
      guide('terraform-check', 'terraform/docs/resources/check.md', 'service_check', 'An http check'),
      guide(
        'terraform-status-page',
        'terraform/docs/resources/status_page.md',
        'service_status_page',
        'A status page',
      ),
      guide(
        'terraform-component',
        'terraform/docs/resources/status_page_component.md',
        'service_status_page_component',
        'A check on a status page',
      ),
      guide(
        'terraform-channel',
        'terraform/docs/resources/notification_channel.md',
        'service_notification_channel',
        'A receiver of alerts',
      ),
      guide(
        'terraform-page-data',
        'terraform/docs/data-sources/status_page.md',
        'service_status_page (data)',
        'A page by its slug',
      ),
    ],
  },
  {
    title: 'Run it yourself',
    guides: [
      guide('install', 'docs/install.md', 'Install', 'Files, packages and a first mesh'),
      guide('deploy', 'docs/deploy.md', 'Run and deploy', 'One process, Compose, Helm and Terraform'),
      guide('deploy-systemd', 'docs/deploy-systemd.md', 'Deploy with systemd', 'On plain machines'),
      guide('deploy-debian', 'docs/deploy-debian.md', 'Debian packages', 'By apt, from a folder'),
      guide('operate', 'docs/guides/operate.md', 'Operate', 'Accounts, backup and upgrades'),
      guide(
        'configuration',
        'docs/reference/configuration.md',
        'Configuration',
        'Every environment variable',
      ),
      guide('doctor', 'docs/doctor.md', 'Doctor', 'What it finds and how to repair it'),
      guide('upgrades', 'docs/upgrades.md', 'Upgrades', 'From one version to the next'),
      guide(
        'clickhouse-cluster',
        'docs/clickhouse-cluster.md',
        'ClickHouse cluster',
        'Replicas of the readings',
      ),
    ],
  },
]

export const guides: readonly Guide[] = guideGroups.flatMap((group) => group.guides)

/** Former addresses, `/docs/<slug>`, and where their content is now. */
export const movedGuides: ReadonlyMap<string, string> = new Map([
  ['agents-reference', '/docs/private-agents'],
  ['errors-reference', '/docs/error-tracking'],
  ['import', '/docs/checks-as-code#from-another-monitor'],
  ['mcp', '/docs/assistants'],
  ['run', '/docs/deploy'],
  ['scale', '/docs/deploy#a-million-checks'],
])

type Address = { path: string; title: string }

/** Pages that replace a document of the repository without being generated from it. */
const others: Readonly<Record<string, Address>> = {
  'docs/errors.md': { path: '/docs/errors', title: 'Error codes' },
  'terraform/docs': { path: '/docs/terraform-provider', title: 'Provider' },
}

/** The web address of a document of the repository; null: none. @param file from the root */
export const addressOf = (file: string): Address | null => {
  const found = guides.find((each) => each.file === file)
  return found === undefined ? (others[file] ?? null) : { path: `/docs/${found.slug}`, title: found.title }
}
