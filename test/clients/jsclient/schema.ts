export type { components, paths } from "@assay/client";
