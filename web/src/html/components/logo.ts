import { html, type Html } from '@probe-mesh/runtime/html'

/** Services whose slug without dashes is the name of their icon. */
const sameName =
  '1password airbnb airtable akamai aliexpress anthropic apple asana atlassian auth0 basecamp better-stack bigcommerce binance bitbucket bitwarden bluesky box brevo buildkite calendly cash-app circleci claude clerk clickup cloudflare coda codeberg coinbase contentful coursera cursor dailymotion databricks datadog deepgram deepseek deezer digitalocean discord doordash dropbox duckduckgo duolingo ebay elastic-cloud elevenlabs epic-games etsy facebook fastly figma firebase flathub fortnite ghost github github-copilot github-pages gitlab gmail godaddy google google-analytics google-cloud google-fonts google-gemini google-maps google-play have-i-been-pwned hetzner homebrew hubspot hugging-face icloud ikea instagram intercom jsdelivr kakaotalk kit klarna lemon-squeezy lets-encrypt lichess line linear mailchimp mailgun medium messenger miro mixpanel monzo neon netflix netlify new-relic notion npm okta openrouter pagerduty patreon paypal perplexity pinterest plex posthog postman proton quickbooks railway razorpay reddit render replicate replit resend revolut riot-games robinhood roblox rollbar sentry shopify snapchat snowflake snyk soundcloud spotify square squarespace stack-overflow statuspage steam stripe substack supabase surveymonkey tailscale telegram threads tiktok trello tumblr twitch uber ubuntu udemy unity unpkg venmo vercel vimeo virustotal vultr webex webflow whatsapp wikipedia wise wix woocommerce x xero youtube zapier zendesk zoho zoom'

/** Services with the icon of their product or vendor under another name. */
const otherNames: Readonly<Record<string, string>> = {
  'apple-app-store': 'appstore',
  'battle-net': 'battledotnet',
  bigquery: 'googlebigquery',
  booking: 'bookingdotcom',
  'chess-com': 'chessdotcom',
  'cloudflare-dns': 'cloudflare',
  'datadog-ap1': 'datadog',
  'datadog-ap2': 'datadog',
  'docker-hub': 'docker',
  'fly-io': 'flydotio',
  ghcr: 'github',
  'google-public-dns': 'google',
  'grafana-cloud': 'grafana',
  'hacker-news': 'ycombinator',
  'intercom-au': 'intercom',
  'intercom-eu': 'intercom',
  'itch-io': 'itchdotio',
  langsmith: 'langchain',
  'mastodon-social': 'mastodon',
  'matrix-org': 'matrix',
  mistral: 'mistralai',
  'mongodb-atlas': 'mongodb',
  nodejs: 'nodedotjs',
  ovhcloud: 'ovh',
  plausible: 'plausibleanalytics',
  'playstation-network': 'playstation',
  'posthog-eu': 'posthog',
  'pusher-ap1': 'pusher',
  'pusher-ap3': 'pusher',
  'pusher-ap4': 'pusher',
  'pusher-eu': 'pusher',
  'pusher-us2': 'pusher',
  'pusher-us3': 'pusher',
  'python-org': 'python',
  'snyk-au': 'snyk',
  'snyk-eu': 'snyk',
  sonarcloud: 'sonarqubecloud',
  'sumo-logic-au': 'sumologic',
  'sumo-logic-de': 'sumologic',
  'sumo-logic-eu': 'sumologic',
  'sumo-logic-jp': 'sumologic',
  'sumo-logic-us2': 'sumologic',
  turnstile: 'cloudflare',
  'wordpress-com': 'wordpress',
  'wordpress-org': 'wordpress',
}

/**
 * The icon of a service by its slug: a file name of Simple Icons. `npm run docs` draws them into
 * `http/logos.svg`.
 */
export const logoFiles: ReadonlyMap<string, string> = new Map([
  ...sameName.split(' ').map((slug) => [slug, slug.replaceAll('-', '')] as const),
  ...Object.entries(otherNames),
])

/** The logo of a service, or the first letter of its name. Decorative, since the name follows. */
export const logo = ({ slug, name }: { slug: string; name: string }): Html => {
  const file = logoFiles.get(slug)
  return file === undefined
    ? html`<span class="logo" aria-hidden="true">${monogramOf(name)}</span>`
    : html`<svg class="logo" aria-hidden="true"><use href="/logos#${file}" /></svg>`
}

const monogramOf = (name: string): string => /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase() ?? '·'
