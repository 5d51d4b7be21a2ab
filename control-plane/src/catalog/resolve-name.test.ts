import { describe, expect, test } from 'vitest'
import { indexNames } from './name-index.ts'
import { resolveName } from './resolve-name.ts'
import { service, shippedCatalog } from './testing.ts'

const index = indexNames(await shippedCatalog())

describe('a query with a match', () => {
  test.each([
    ['GitHub', 'github'],
    ['github', 'github'],
    ['GITHUB', 'github'],
    ['gh', 'github'],
    ['  Git Hub!  ', 'github'],
    ['git-hub', 'github'],
    ['"GitHub"', 'github'],
    ['GitHub?', 'github'],
    ['github.com', 'github'],
    ['GitHub.com', 'github'],
    ['github.com.', 'github'],
    ['www.github.com', 'github'],
    ['api.github.com', 'github'],
    ['https://github.com/foo', 'github'],
    ['http://www.github.com:8080/a?b#c', 'github'],
    ['github.com/foo/bar', 'github'],
    ['gist.github.com', 'github'],
    ['pages.github.com', 'github-pages'],
    ['copilot-proxy.githubusercontent.com', 'github-copilot'],
    ['raw.githubusercontent.com', 'github'],
    ['ghcr.io', 'ghcr'],
    ['google.com', 'google'],
    ['www.google.com', 'google'],
    ['mail.google.com', 'gmail'],
    ['drive.google.com', 'google'],
    ['cloud.google.com', 'google-cloud'],
    ['console.cloud.google.com', 'google-cloud'],
    ['fonts.googleapis.com', 'google-fonts'],
    ['storage.googleapis.com', 'google-cloud'],
    ['aws.amazon.com', 'aws'],
    ['amazon.com', 'amazon'],
    ['ec2.us-east-1.amazonaws.com', 'aws-us-east-1'],
    ['s3.amazonaws.com', 'aws-s3'],
    ['us-east-1', 'aws-us-east-1'],
    ['Amazon Web Services', 'aws'],
    ['node.js', 'nodejs'],
    ['Node.js', 'nodejs'],
    ['nodejs', 'nodejs'],
    ['Booking.com', 'booking'],
    ['1.1.1.1', 'cloudflare-dns'],
    ['Disney+', 'disney-plus'],
    ["Let's Encrypt", 'lets-encrypt'],
    ['Lets Encrypt', 'lets-encrypt'],
    ['twitter', 'x'],
    ['x', 'x'],
    ['x.com', 'x'],
    ['x.ai', 'xai'],
    ['chat gpt', 'chatgpt'],
    ['Ｇｍａｉｌ', 'gmail'],
    ['acme.slack.com', 'slack'],
    ['1Password', '1password'],
  ])('%j resolves to %s', (query, slug) => {
    expect(resolveName(index, query)).toEqual({ slug, didYouMean: [] })
  })
})

describe('a query without a match', () => {
  test.each<[string, string[]]>([
    ['githib', ['github']],
    ['gihtub', ['github']],
    ['githubb', ['github']],
    ['githib.com', ['github']],
    ['github.con', ['github', 'ghcr', 'github-pages']],
    ['cloudf', ['cloudflare', 'cloudfront', 'cloudflare-dns']],
    ['netflx', ['netflix']],
    ['is github down', ['github', 'ghcr', 'github-pages']],
    ['github actions', ['github', 'ghcr', 'github-pages']],
    ['githubstatus', ['github']],
    ['wordpress', ['wordpress-com', 'wordpress-org']],
    ['foo.github.io', ['github', 'ghcr', 'github-pages']],
    ['github.com.evil.net', ['github', 'ghcr', 'github-pages']],
    ['@github', ['github', 'github-pages', 'github-copilot']],
    ['https://github', ['github', 'ghcr', 'github-pages']],
  ])('%j has the suggestions %j', (query, didYouMean) => {
    expect(resolveName(index, query)).toEqual({ slug: null, didYouMean })
  })

  test.each([
    ['git.hub'],
    ['notgithub.com'],
    ['github.co'],
    ['hub'],
    ['g h b'],
    ['gіthub'],
    ['gіthub.com'],
    ['https://github.com@evil.com/'],
    ['https://evil.com/github.com'],
    ['evil.com\\@github.com'],
    ['git@hub.com'],
    ['bit@bucket'],
    ['com'],
    ['co.uk'],
    ['1.1.1.2'],
    ['node.jss'],
    ['y.com'],
    ['my-shop.myshopify.com'],
    [''],
    ['   '],
    ['!?'],
    ['.'],
    ['\u0000'],
    ['__proto__'],
    ['constructor'],
    ['x'.repeat(201)],
    [`https://github.com/${'a'.repeat(190)}`],
  ])('%j resolves to no service', (query) => expect(resolveName(index, query).slug).toBeNull())
})

test('a host resolves to the longest domain at or above it, and a look-alike to none', () => {
  const index = indexNames({
    services: [
      service('wide', { domains: ['example.org'] }),
      service('narrow', { domains: ['a.b.example.org'] }),
    ],
  })
  const slugOf = (query: string) => resolveName(index, query).slug
  expect(slugOf('example.org')).toBe('wide')
  expect(slugOf('b.example.org')).toBe('wide')
  expect(slugOf('a.b.example.org')).toBe('narrow')
  expect(slugOf('x.a.b.example.org')).toBe('narrow')
  expect(slugOf('aa.b.example.org')).toBe('wide')
  expect(slugOf('myexample.org')).toBeNull()
  expect(slugOf('example.org.net')).toBeNull()
  expect(slugOf('org')).toBeNull()
})

test('suggestions are sorted: misspellings, then prefixes, then common words', () => {
  const index = indexNames({
    services: [
      service('acorn-cloud', { name: 'Acorns Cloud' }),
      service('acorni'),
      service('acornsmail'),
      service('other', { name: 'Other Acorns' }),
    ],
  })
  expect(resolveName(index, 'acorns')).toEqual({
    slug: null,
    didYouMean: ['acorni', 'acornsmail', 'acorn-cloud'],
  })
})

test('a name of four letters gets no suggestion, and a name of ten may have two typos', () => {
  const index = indexNames({
    services: [service('hulu'), service('slack'), service('cloudflare')],
  })
  const suggestionsFor = (query: string) => resolveName(index, query).didYouMean
  expect(suggestionsFor('hula')).toEqual([])
  expect(suggestionsFor('slakc')).toEqual(['slack'])
  expect(suggestionsFor('slkcc')).toEqual([])
  expect(suggestionsFor('clodflair')).toEqual([])
  expect(suggestionsFor('cloudfalra')).toEqual(['cloudflare'])
})
