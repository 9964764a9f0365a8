// The filter for one trader, which only links bring.
import { api, call, type Schema } from "../../api/client";
import { resource } from "../../ui/load.svelte";
import { nameOf } from "../pages/traders/words";
import { route } from "../router.svelte";
import type { Filter } from "./filters";

interface Row {
  trader: { id: string; full_name: string | null; email: string | null; external_id?: string | null } | null;
}

/**
 * Tells the filter by the trader's name and not by the id that the address has. The name is that in the rows; only
 * if there are none it is read. Call it while a component is made.
 */
export function traderFilter(rows: () => Row[] | undefined) {
  const id = () => route.query.get("trader_id") ?? "";
  const alone = resource(async (): Promise<Schema<"TraderDetail"> | null> => {
    const asked = id();
    return asked !== "" && rows()?.length === 0 ? call(api.GET("/v1/traders/{id}", { params: { path: { id: asked } } })) : null;
  });

  function name(): string {
    const trader = rows()?.find((row) => row.trader?.id === id())?.trader ?? (alone.value?.id === id() ? alone.value : null);
    if (trader) return nameOf({ external_id: null, ...trader });
    return alone.problem ? "unknown" : "…";
  }

  return {
    get filter(): Filter {
      return { name: "trader_id", label: "Trader", choices: [[id(), name()]], linked: true };
    },
  };
}
