import { z } from 'zod'
import { read, write, type Route } from '../schema/route.ts'
import { StatusPageParams } from './status-page.ts'

export const logoLimits = {
  /** Of an uploaded file, and of the image that is made of it. */
  bytesMax: 512 * 1024,
  /** Width and height of an uploaded image. */
  pixelsMax: 2_000,
  /** A larger image is made smaller, since pages show logos small. */
  storedPixelsMax: 1_024,
} as const

/** In base64, without line breaks. */
const base64CharactersMax = Math.ceil(logoLimits.bytesMax / 3) * 4

export const UploadLogoInput = z.strictObject({
  /** A PNG, JPEG, WebP or GIF without animation, in base64. */
  image: z
    .string()
    .min(1)
    .max(base64CharactersMax, `must be at most ${logoLimits.bytesMax / 1024} KB`)
    .regex(/^[A-Za-z0-9+/]*={0,2}$/, 'must be base64'),
})
export type UploadLogoInput = z.infer<typeof UploadLogoInput>

export const logoTypes = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp' } as const
export type LogoExtension = keyof typeof logoTypes

/** The uploaded logo of a page, as it is served. Its address changes with the image. */
export const PageLogo = z.object({
  url: z.string(),
  /** Below the public URL. */
  path: z.string(),
  type: z.enum(logoTypes),
  width: z.int(),
  height: z.int(),
  bytes: z.int(),
})
export type PageLogo = z.infer<typeof PageLogo>

const OfPage = z.object({ logo: PageLogo.nullable() })

/** Dashboard routes. The API's `logo` answers the address of an uploaded logo; setting it removes the upload. */
export const logoRoutes = {
  getLogo: read({
    path: '/status-pages/:id/logo',
    summary: 'The uploaded logo of a status page, or null',
    params: StatusPageParams,
    output: OfPage,
    codes: ['SV-3001'],
  }),
  uploadLogo: write({
    method: 'POST',
    path: '/status-pages/:id/logo',
    summary:
      'Upload a logo, which replaces the former one; it is decoded, made smaller and stored without metadata',
    success: 201,
    params: StatusPageParams,
    body: UploadLogoInput,
    // base64, and the JSON around it
    bodyBytesMax: base64CharactersMax + 4 * 1024,
    output: OfPage,
    codes: ['SV-3001', 'SV-9002'],
  }),
  deleteLogo: write({
    method: 'DELETE',
    path: '/status-pages/:id/logo',
    summary: 'Delete the uploaded logo; the page shows the one of its logo address again, if there is one',
    params: StatusPageParams,
    output: OfPage,
    codes: ['SV-3001'],
  }),
} as const satisfies Record<string, Route>
