<<<<<<<< HEAD:apiserver/web/dist/assets/HealthBadge-ocuSPruA.js
import{p as l,w as n,t as p,e as h,g as e,h as i,j as u,k as f}from"./parts-BnBhP9K6.js";import{B as d}from"./dashboard-parts-A9_6FUB1.js";import{h as g}from"./health-BoAQDNT9.js";function _(s,a){l(a,!0);const t=i(()=>g(a.integration));d(s,{get tone(){return e(t).tone},get title(){return e(t).about},children:(o,m)=>{var r=n();p(()=>h(r,e(t).label)),u(o,r)},$$slots:{default:!0}}),f()}export{_ as H};
========
import{p as l,w as n,t as p,e as h,g as e,h as i,j as u,k as f}from"./parts-DndKKzjY.js";import{B as d}from"./dashboard-parts-UWZu_Xuv.js";import{h as g}from"./health-BoAQDNT9.js";function _(s,a){l(a,!0);const t=i(()=>g(a.integration));d(s,{get tone(){return e(t).tone},get title(){return e(t).about},children:(o,m)=>{var r=n();p(()=>h(r,e(t).label)),u(o,r)},$$slots:{default:!0}}),f()}export{_ as H};
>>>>>>>> 19f1c676 (activity files: preview a file before it is imported):apiserver/web/dist/assets/HealthBadge-BFmnP1nx.js
