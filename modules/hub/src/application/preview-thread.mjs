// The thread that makes the preview of one file, and ends. It is no TypeScript, so that sources and what is compiled of them start the same file.
// Files are hostile: PDFium reads them inside WebAssembly, whose memory is bounded here; DocumentPreviews bounds the rest.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { crc32, deflateSync, inflateSync } from 'node:zlib'

/** @type {{ bytes: Uint8Array, contentType: string, longestSide: number, mostPixels: number, mostMemoryBytes: number }} */
const { bytes, contentType, longestSide, mostPixels, mostMemoryBytes } = workerData

boundMemory()
parentPort?.postMessage(await previewOf())

async function previewOf() {
  const pdf =
    contentType === 'application/pdf'
      ? bytes
      : await pdfOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
  const { width, height, pixels } = await firstPageOf(pdf)
  return pngOf(width, height, pixels)
}

/** Lets the memory of WebAssembly grow up to a limit: a failed allocation ends the rendering. */
function boundMemory() {
  const { grow } = WebAssembly.Memory.prototype
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + Number(pages) * 65_536 > mostMemoryBytes)
      throw new RangeError('The preview needs too much memory.')
    return grow.call(this, pages)
  }
}

/**
 * The first page of a PDF in pixels of four bytes: red, green, blue, and one without meaning.
 * @param {Uint8Array} pdf
 */
async function firstPageOf(pdf) {
  const { init } = await import('@embedpdf/pdfium')
  const wasm = createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm')
  const pdfium = await init({ wasmBinary: readFileSync(wasm), print: ignore, printErr: ignore })
  pdfium.PDFiumExt_Init()
  const { malloc } = pdfium.pdfium.wasmExports
  const address = demand(malloc(pdf.length), 'The file is too large.')
  pdfium.pdfium.HEAPU8.set(pdf, address)
  const document = demand(pdfium.FPDF_LoadMemDocument(address, pdf.length, ''), 'The file can not be read.')
  const page = demand(pdfium.FPDF_LoadPage(document, 0), 'The file has no first page.')
  const size = { width: pdfium.FPDF_GetPageWidthF(page), height: pdfium.FPDF_GetPageHeightF(page) }
  const fitting = longestSide / Math.max(size.width, size.height)
  // Pages have no size in pixels; small images stay small.
  const scale = contentType === 'application/pdf' ? fitting : Math.min(1, fitting)
  // A page that is a mere line, or nothing, is still a pixel wide.
  const [width, height] = [size.width, size.height].map((side) =>
    Math.min(longestSide, Math.max(1, Math.round(side * scale) || 1)),
  )
  const bitmap = demand(pdfium.FPDFBitmap_Create(width, height, 0), 'The preview needs too much memory.')
  pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff)
  const [annotations, redFirst] = [0x01, 0x10]
  pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, annotations | redFirst)
  const start = pdfium.FPDFBitmap_GetBuffer(bitmap)
  const pixels = pdfium.pdfium.HEAPU8.slice(start, start + width * height * 4)
  return { width, height, pixels }
}

/**
 * A PDF with an image as its page, turned as its camera was held.
 * @param {Buffer} image
 */
async function pdfOf(image) {
  if (contentType === 'image/png') checkPng(image)
  const { default: PDFDocument } = await import('pdfkit')
  const document = new PDFDocument({ autoFirstPage: false, compress: false, font: null })
  const pieces = []
  document.on('data', (piece) => pieces.push(piece))
  const written = new Promise((resolve, reject) => document.once('end', resolve).once('error', reject))
  const { width, height, orientation = 1 } = document.openImage(image)
  if (!(width > 0 && height > 0 && width * height <= mostPixels)) throw new Error('The image is too large.')
  const size = orientation > 4 ? [height, width] : [width, height]
  // A page has at most 14,400 units on a side.
  const scale = Math.min(1, 14_400 / Math.max(...size))
  const [pageWidth, pageHeight] = size.map((side) => side * scale)
  document.addPage({ size: [pageWidth, pageHeight], margin: 0 })
  document.image(image, 0, 0, { fit: [pageWidth, pageHeight] })
  document.end()
  await written
  return Buffer.concat(pieces)
}

/**
 * Throws for a PNG that would take much memory here. Those with transparency or interlaced rows are unpacked by pdfkit, as much as they hold; all others
 * go on to PDFium as they are. @see PNG specification, section 11.2
 * @param {Buffer} image
 */
function checkPng(image) {
  const [width, height, depth, colours] = [
    image.readUInt32BE(16),
    image.readUInt32BE(20),
    image[24],
    image[25],
  ]
  const chunks = chunksOf(image)
  const isInterlaced = image[28] !== 0
  const isUnpacked = isInterlaced || colours >= 4 || chunks.some(({ type }) => type === 'tRNS')
  if (width * height > (isUnpacked ? mostPixels / 4 : mostPixels)) throw new Error('The image is too large.')
  if (!isUnpacked) return
  const channels = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[colours] ?? 4
  // A byte for the filter of each row; interlaced rows come in seven parts.
  const unpacked = height * (Math.ceil((width * channels * depth) / 8) + 1) * (isInterlaced ? 2 : 1) + 1024
  const packed = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)
  inflateSync(Buffer.concat(packed), { maxOutputLength: unpacked })
}

/** @param {Buffer} png */
function chunksOf(png) {
  const chunks = []
  for (let start = 8; start + 12 <= png.length; ) {
    const length = png.readUInt32BE(start)
    const type = png.toString('latin1', start + 4, start + 8)
    chunks.push({ type, data: png.subarray(start + 8, start + 8 + length) })
    start += length + 12
  }
  return chunks
}

/**
 * A PNG without transparency. @see PNG specification, sections 5 and 11
 * @param {number} width @param {number} height @param {Uint8Array} pixels of four bytes
 */
function pngOf(width, height, pixels) {
  const rows = Buffer.alloc(height * (1 + width * 3))
  let to = 0
  for (let row = 0, from = 0; row < height; row += 1) {
    to += 1
    for (let column = 0; column < width; column += 1, from += 4) {
      rows[to++] = pixels[from]
      rows[to++] = pixels[from + 1]
      rows[to++] = pixels[from + 2]
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** @param {string} type @param {Buffer} data */
function chunk(type, data) {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, sum])
}

function ignore() {}

/** @param {number} handle 0 for none @param {string} fault */
function demand(handle, fault) {
  if (!handle) throw new Error(fault)
  return handle
}
