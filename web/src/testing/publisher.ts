import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { TestWeb, Visitor } from './test-web.ts'

/** Markup that would end an attribute if a page did not escape it. */
export const hostile = '"><script>alert(1)</script>'

export type Publisher = Visitor & {
  accountId: string
  email: string
  /** The account's first page. */
  pageId: string
  slug: string
  /** Creates a check. @returns its id */
  check(name: string): Promise<string>
  /** Publishes a new check on the first page. @returns the component's id */
  component(name: string): Promise<string>
  /** Subscribes an address to the first page. @returns the subscription's id */
  subscriber(email: string, more?: { componentId?: string | null; isConfirmed?: boolean }): Promise<string>
}

/** A member on the Scale plan with something to publish; the app needs a write budget for a key. */
export const publisherOf = async (web: TestWeb): Promise<Publisher> => {
  const { at } = web
  const member = await web.member()
  const key = await member.writeKey()
  const headers = { 'service-client': 'terraform-provider-service/1.2.3' }
  const [page] = await at.sql<{ id: string; slug: string }[]>`
    select id, slug from status_pages where account_id = ${member.accountId}`
  if (page === undefined) throw new Error('the account has no page')
  const check = async (name: string): Promise<string> => {
    const body = { name, url: 'https://example.org/' }
    return (await at.call('POST', '/v1/checks', { key, body })).json.id
  }
  return {
    ...member,
    pageId: page.id,
    slug: page.slug,
    check,
    component: async (name) => {
      const path = `/v1/status-pages/${page.id}/components`
      const body = { checkId: await check(name) }
      return (await at.call('POST', path, { key, headers, body })).json.id
    },
    subscriber: async (email, { componentId = null, isConfirmed = true } = {}) => {
      const id = uuidv7(at.now())
      const [now, later] = [new Date(at.now()), new Date(at.now() + 3_600_000)]
      // news goes to those who had confirmed when it was written
      const confirmed = isConfirmed ? new Date(at.now() - 3_600_000) : null
      await at.sql`
        insert into subscribers (id, account_id, status_page_id, component_id, email,
          confirm_before, asked_at, confirmed_at, created_at)
        values (${id}, ${member.accountId}, ${page.id}, ${componentId}, ${email}, ${later},
          array[]::timestamptz[], ${confirmed}, ${now})`
      return id
    },
  }
}
