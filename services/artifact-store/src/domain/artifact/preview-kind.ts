/** How an artifact is shown to people (S-06). */
export const previewKinds = [
  'dataset',
  'figure',
  'html',
  'json',
  'latex',
  'markdown',
  'notebook',
  'report',
  'structure',
  'other',
] as const
export type PreviewKind = (typeof previewKinds)[number]

const byExtension: ReadonlyMap<string, PreviewKind> = new Map([
  ...listed('html', 'html htm xhtml'),
  ...listed('json', 'json jsonl ndjson geojson'),
  ...listed('latex', 'tex latex bib sty'),
  ...listed('markdown', 'md markdown rmd qmd'),
  ...listed('notebook', 'ipynb'),
  ...listed('report', 'pdf docx odt rtf'),
  ...listed('structure', 'pdb cif mmcif mol mol2 sdf xyz pqr gro'),
  ...listed('figure', 'png jpg jpeg gif webp svg tif tiff bmp eps'),
  ...listed(
    'dataset',
    'csv tsv xlsx xls ods parquet feather arrow h5 hdf5 h5ad loom zarr nc rds rdata',
  ),
  ...listed(
    'dataset',
    'npy npz mat sqlite fasta fa fna faa fastq fq gb gbk gff gtf bed vcf bam sam',
  ),
])

/** Packed content is shown like what is inside. */
const packed = /\.(gz|bgz|bz2|xz|zst)$/

/** The kind by name first, since workspaces know no media types, then by media type. */
export function previewKindOf(name: string, mediaType: string): PreviewKind {
  const extension = /\.([a-z0-9]+)$/.exec(name.toLowerCase().replace(packed, ''))?.[1] ?? ''
  return byExtension.get(extension) ?? kindOfMedia(mediaType.toLowerCase())
}

function kindOfMedia(mediaType: string): PreviewKind {
  if (mediaType.startsWith('image/')) return 'figure'
  if (mediaType.startsWith('chemical/')) return 'structure'
  if (mediaType.startsWith('text/html')) return 'html'
  if (mediaType.startsWith('text/markdown')) return 'markdown'
  if (/^application\/([a-z0-9.+-]+\+)?json/.test(mediaType)) return 'json'
  if (mediaType === 'application/pdf') return 'report'
  return /^text\/(csv|tab-separated-values)/.test(mediaType) ? 'dataset' : 'other'
}

function listed(kind: PreviewKind, extensions: string): (readonly [string, PreviewKind])[] {
  return extensions.split(' ').map((extension) => [extension, kind] as const)
}
