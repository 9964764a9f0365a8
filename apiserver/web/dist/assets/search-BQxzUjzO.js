const e=c=>new RegExp(`(${c.replace(/[\\^$.*+?()[\]{}|/]/g,"\\$&")})`,"giu"),n=(c,s)=>c.search(e(s))>=0,p=(c,s)=>s===""?[c]:c.split(e(s));export{n as c,p};
