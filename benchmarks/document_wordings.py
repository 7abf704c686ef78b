# ruff: noqa: E501
"""Documents of many kinds in several wordings, for `document_kinds`: each family is another hand's way to write.

All people, firms and numbers are invented. `{slot}` is filled from SLOTS.
"""

SLOTS = {
    "name": ["Mara Lindqvist", "Otis Fenwick", "Rui Tavares", "Imani Osei", "Tomasz Wrona", "Celia Braun"],
    "firm": ["Harbor Mart LLC", "Brandt & Sons", "Quay Systems Inc.", "Alder Foods Co.", "Tidewater Ltd."],
    "date": ["03/04/2024", "March 4, 2024", "4 March 2024", "2024-03-04", "11/19/2023"],
    "n": [4471, 90233, 118, 55120, 7781, 64012],
    "sum": ["1,250.00", "96.40", "12,400.50", "310.00", "7,005.25"],
}

DEV = {
    "invoice": [
        "INVOICE\n{firm}\nInvoice No: {n}\nInvoice date: {date}\nBill to: {firm}\nQty Description Unit price\n"
        "4 filters {sum}\nSubtotal {sum}\nSales tax {sum}\nAmount due: ${sum}\nPayment terms: net 30",
        "{firm}\nRechnung\nRechnungsnummer: {n}\nRechnungsdatum: {date}\nMenge Einzelpreis Betrag\n2 {sum}\n"
        "MwSt 19% {sum}\nGesamtbetrag EUR {sum}\nZahlbar innerhalb 14 Tagen\nIBAN DE00 1234",
    ],
    "purchase_order": [
        "PURCHASE ORDER\nPO Number: {n}\nDate: {date}\nVendor: {firm}\nShip to: {firm}\nQty Item Unit price\n"
        "12 valves {sum}\nRequested delivery: {date}\nAuthorized by: {name}",
    ],
    "bill_of_lading": [
        "STRAIGHT BILL OF LADING\nB/L No: {n}\nShipper: {firm}\nConsignee: {firm}\nCarrier: {firm}\n"
        "Freight prepaid\n14 pallets, gross weight 9,300 lb\nReceived in apparent good order",
    ],
    "packing_list": [
        "PACKING LIST\nOrder {n}\nDate {date}\nCartons Contents Net weight Gross weight\n1-10 jars 90 kg 110 kg\n"
        "Total cartons: 10\nMeasurement 1.2 cbm",
    ],
    "rate_confirmation": [
        "CARRIER RATE CONFIRMATION\nLoad #: {n}\nCarrier: {firm} MC#: 123456\nPickup {date}\nDelivery {date}\n"
        "Linehaul ${sum}\nFuel surcharge ${sum}\nDetention after two hours\nDriver must call dispatcher",
    ],
    "shipment_instructions": [
        "SHIPPING INSTRUCTIONS\nBooking No: {n}\nShipper: {firm}\nConsignee: {firm}\nPort of loading Gdansk\n"
        "1 x 40' HC container\nIncoterm FOB\nCargo: machine parts\nETD {date}",
        "From: {name}\nSubject: pickup on {date}\nHello,\nplease have the trucker collect 12 pallets at our dock.\n"
        "Booking ref {n}, cut-off is Friday noon. The forwarder has the papers.\nRegards",
    ],
    "study_protocol": [
        "CLINICAL STUDY PROTOCOL\nProtocol title: Effect of walking\nPrincipal Investigator: {name}\nSponsor: {firm}\n"
        "Inclusion criteria: adults\nPrimary endpoint: distance\nRandomized, double-blind\nIRB approval {date}",
    ],
    "non_disclosure_agreement": [
        "MUTUAL NON-DISCLOSURE AGREEMENT\nmade as of {date} by and between {firm} and {firm}\n"
        "1. Confidential Information means anything marked so.\n2. The receiving party shall not disclose it.\n"
        "3. Governed by the laws of the State of Ohio.\nIN WITNESS WHEREOF",
    ],
    "broadcast_order": [
        "KQXZ-TV ORDER\nAdvertiser: {firm}\nAgency: {firm}\nOrder # {n}\nFlight dates {date} - {date}\n"
        "Account Exec: {name}\n48 spots at :30\nGross amount ${sum}\nNet amount ${sum}",
    ],
    "workers_comp_claim_form": [
        "WORKERS' COMPENSATION CLAIM FORM (DWC 1)\nEmployee: {name}\nDate of injury: {date}\n"
        "Describe injury and part of body affected: strained back\nDate employer first knew: {date}\nInsurer: {firm}",
    ],
    "workers_comp_medical_report": [
        "PRIMARY TREATING PHYSICIAN'S PROGRESS REPORT (PR-2)\nPatient: {name}\nDate of injury: {date}\nClaim no. {n}\n"
        "Subjective: low back pain\nObjective: lumbar tenderness\nDiagnosis: strain\nWork status: modified duty",
    ],
    "workers_comp_notice": [
        "NOTICE REGARDING DELAY OF BENEFITS\nDear {name}:\nOur file: {n}\nDate of injury: {date}\n"
        "We cannot yet decide about your workers' compensation claim.\nTemporary disability is not paid now.\n"
        "{name}, Claims Examiner\nInformation & Assistance: 800 555 0100",
    ],
    "workers_comp_legal": [
        "WORKERS' COMPENSATION APPEALS BOARD\n{name}, Applicant vs. {firm}, Defendant\nCase No. ADJ1234567\n"
        "NOTICE OF HEARING\nMandatory settlement conference on {date}\nAttorney for applicant: {name}",
    ],
    "workers_comp_payments": [
        "BENEFIT PAYMENT LEDGER\nClaim no. {n}\nClaimant {name}\nCheck no. Payee Paid through Amount\n"
        "1001 {name} {date} {sum}\nTemporary disability {sum}\nMedical {sum}\nTotal paid {sum}",
    ],
    "workers_comp_notes": [
        "CLAIM NOTES\nClaim no. {n} DOI {date}\n{date} Spoke to IW, still off work. TTD continues.\n"
        "{date} Reserves reviewed by supervisor. PTP wants MRI.\nAdjuster {name}",
    ],
    "resume": [
        "{name}\nResume\nWork Experience\n{firm}, buyer, 2019 - present\nEducation\nB.A., 2015\nSkills: Excel\n"
        "References available on request",
    ],
    "bank_statement": [
        "ACCOUNT STATEMENT\nAccount number {n}\nStatement period {date} to {date}\nOpening balance {sum}\n"
        "Deposits {sum}\nWithdrawals {sum}\nClosing balance {sum}",
    ],
    "lease": [
        "RESIDENTIAL LEASE AGREEMENT\nLandlord: {firm}\nTenant: {name}\nPremises: 4 Mill Lane\nMonthly rent ${sum}\n"
        "Security deposit ${sum}\nNo pets",
    ],
    "": [
        "The fog sits over the harbor and then moves on.\nNobody ordered it, and no email was sent.\n{date}"
    ],
}

HELD = {
    "invoice": [
        "{firm}\nStatement of charges for {firm}\nTax Invoice {n}          {date}\nConsulting, 12 h @ 95       {sum}\n"
        "VAT 20%     {sum}\nTotal payable  {sum}\nPlease pay by bank transfer within 14 days, quoting {n}\nSort code 20-11-09",
        "Facture n° {n}\n{firm}\nDate : {date}\nClient : {name}\nDésignation  Quantité  Prix unitaire\nPapier  10  {sum}\n"
        "TVA 20 %  {sum}\nMontant total TTC  {sum} EUR\nRèglement à réception",
    ],
    "purchase_order": [
        "{firm} - Procurement\nPurchase Order {n} rev. 1\nTo supplier: {firm}\nKindly supply the goods below by {date}\n"
        "Item 10  bearings  quantity 40  price {sum}\nBuyer: {name}\nDeliver to our plant, gate 2",
        "Order form\nP.O. # {n}   Issued {date}\nSupplier {firm}\n3 pcs drum heater, {sum} each\nShip to warehouse B\n"
        "Ordered by {name}, approved {name}",
    ],
    "bill_of_lading": [
        "OCEAN BILL OF LADING    BOL No. {n}\nShipper/Exporter {firm}\nConsignee to order of {firm}\n"
        "Notify party {firm}\nVessel Aurora  Voyage 114W\nPort of loading Santos   Port of discharge Antwerp\n"
        "SHIPPED ON BOARD {date}",
        "Uniform Freight Waybill\nWaybill number {n}\nFrom (shipper) {firm}\nTo (consignee) {firm}\nNMFC 15520 class 70\n"
        "8 skids said to contain tile\nThird party billing: {firm}\nDriver signature",
    ],
    "packing_list": [
        "Packing slip\nfor order {n} shipped {date}\nBox 1 of 3: lamps (4)\nBox 2 of 3: shades (4)\nBox 3 of 3: cords\n"
        "Packed by {name}\nNumber of packages 3",
        "DELIVERY NOTE / PACKING DETAILS\nConsignment {n}\nCase nos. 1-6   net weight 420 kg  gross weight 466 kg\n"
        "Dimensions 120x80x90 cm\nContents as per order\n{firm}",
    ],
    "rate_confirmation": [
        "Load Confirmation {n}\n{firm} (broker) to {firm} (carrier), DOT 2211903\nEquipment: 53' dry van\n"
        "PU {date} 08:00 Fresno   Drop {date} Reno\nAll-in rate ${sum}\nLumper receipts required, TONU $150",
        "Truckload tender\nLoad no. {n}\nWe confirm the flat rate of ${sum} for reefer, {date}\nShipper {firm}\n"
        "Receiver {firm}\nDriver: {name}\nLayover is paid at {sum} a day\nSign and return to dispatch",
    ],
    "shipment_instructions": [
        "Shipper's Letter of Instruction\nPlease forward the goods below\nExporter {firm}   Ultimate consignee {firm}\n"
        "Forwarder: {firm}\nCommodity: dried fruit, 400 cartons\nTerms CIF Rotterdam\nETD {date}\nBooking {n}",
        "To: {name}\nRe: delivery tomorrow\nGood morning, the container arrives at the terminal {date}, ETA noon.\n"
        "Please book a haulier for 2 x 20ft to our warehouse, the freight is 18 pallets.\nConsignee as usual.\n{name}",
    ],
    "study_protocol": [
        "Research Protocol, version 3\nChief Investigator {name}\nBackground. Adults with asthma are many.\n"
        "Eligibility: age 18-65\nPrimary outcome: FEV1 at week 12\nParticipants give informed consent\nSample size 120",
        "A phase 2 placebo-controlled trial\nTrial protocol no. {n}\nSponsor {firm}\nObjectives and endpoints\n"
        "Exclusion criteria: pregnancy\nAdverse events are reported to the ethics committee\n{date}",
    ],
    "non_disclosure_agreement": [
        "Confidentiality Undertaking\n{date}\nTo: {firm}\nIn consideration of your giving us access to your trade secrets we\n"
        "agree to keep them strictly confidential, not to disclose them to anybody and to return or destroy all copies.\n"
        "Confidential Information includes oral statements.\nThis letter is governed by English law.\n{firm}",
        'CONFIDENTIAL DISCLOSURE AGREEMENT\nbetween {firm} ("Discloser") and {firm} ("Recipient")\n'
        "The Recipient shall hold in confidence all Proprietary Information for five years.\n"
        "Equitable relief is available.\nThe term of this Agreement is two years from {date}.",
    ],
    "broadcast_order": [
        "Political Contract   WZQB-FM\nContract {n} / Revision 2\nClient/Advertiser {firm} for Senate\n"
        "Buying agency {firm}\nFlight start {date}  end {date}\nTotal spots 62   Agency commission 15%\nGross total {sum}",
        "{firm} Television Sales\nINVOICE {n}   Billing cycle EOM/EOC\nAdvertiser  {firm}\nProduct code 12  Estimate # {n}\n"
        "Salesperson {name}\nNews at 6, :30, M-F, spots 10, {sum}\nStation KRWB-DT   Net total {sum}",
    ],
    "workers_comp_claim_form": [
        "EMPLOYER'S FIRST REPORT OF INJURY\nWorker {name}, occupation stocker\nDate of accident {date}\n"
        "How did the accident occur? Slipped on wet floor\nBody part injured: left knee\nWitnesses: {name}\n"
        "Workers comp carrier {firm}, policy number {n}",
        "Incident Report - Supervisor\nAssociate {name}\nDate and time of injury {date} 07:40\nDescribe injury: cut to hand\n"
        "Premises: dock 3\nSent to clinic, workers' comp notified\nSupervisor signature {name}",
    ],
    "workers_comp_medical_report": [
        "QUALIFIED MEDICAL EVALUATION\nExaminee {name}   Claim number {n}\nDate of injury {date}\n"
        "Review of records. Physical examination of the cervical spine.\nImpression: radiculopathy\n"
        "Apportionment: 20% non-industrial\nWhole person impairment 12%\nThe patient is permanent and stationary",
        "Work status note\nPt {name} seen {date} for on the job injury\nDx shoulder strain\nRestrictions: no overhead work\n"
        "RTW light duty tomorrow\nRecheck 2 weeks\nemployer {firm}",
    ],
    "workers_comp_notice": [
        "{firm} Claims Services\n{date}\nRe: your work-related injury of {date}, claim number {n}\nDear {name},\n"
        "We have accepted your claim. You will receive temporary total disability payments of ${sum} a week.\n"
        "Under the Labor Code you may ask for a QME panel.\nYour adjuster, {name}",
        "NOTICE OF DENIAL OF CLAIM\nInjured employee: {name}   D/I {date}\nAfter investigation we deny liability for workers'\n"
        "compensation benefits. No indemnity is due.\nClaims administrator {firm}\nDivision of Workers' Compensation: 800 555 0100",
    ],
    "workers_comp_legal": [
        "COMPROMISE AND RELEASE\nApplicant {name}   Case ADJ7654321\nDate of injury {date}, body parts: back\n"
        "Parties settle for ${sum}; future medical is closed\nReviewed by the WCJ\nAttorneys: {name}, Esq.",
        "Law Offices of {name}\n{date}\nPlease take notice that this office represents {name} (notice of representation) in the\n"
        "workers' compensation case for industrial injury of {date}. Send all medical reports. EAMS ADJ5550001\nCounsel",
    ],
    "workers_comp_payments": [
        "Reserve Worksheet\nClaim # {n}  Injured worker {name}\nIndemnity  paid {sum}  outstanding {sum}  incurred {sum}\n"
        "Medical paid {sum} outstanding {sum}\nReason for change: surgery authorized\n{date}",
        "Statement of wages\nEmployee {name}  date of injury {date}\nPay period  hours  gross earnings\n1  40  {sum}\n"
        "2  38  {sum}\nAverage weekly wage {sum}\nFor TD calculation",
    ],
    "workers_comp_notes": [
        "From: {name}\nTo: {name}\nRe: WC claim {n}\nHi, the claims adjuster called about the injury on {date}. The treating doctor keeps\n"
        "him off work two more weeks, TTD goes on, reserves are fine. Can we offer modified duty?\nThanks",
        "FILE SNAPSHOT {date}\nClaim no {n}  Examiner {name}\nIW {name}  DOL {date}\nStatus open, litigated, MMI pending\n"
        "Plan: diary for AME report, settle by C&R\nComp rate {sum}",
    ],
    "resume": [
        "CURRICULUM VITAE\n{name}\nProfessional experience\n2018 - now  warehouse lead, {firm}\n2014 - 2018  clerk, {firm}\n"
        "Education\nDiploma in logistics\nLanguages: English, Polish",
        "{name} | linkedin.com/in/x\nCareer summary: ten years in accounting\nExperience\n{firm} 2016 to present\n"
        "Education\nMaster of Science, 2014\nKey skills\nSAP",
    ],
    "bank_statement": [
        "Monthly checking statement\n{name}  account no. {n}\nBeginning balance {sum}\n{date} ATM withdrawal {sum}\n"
        "{date} direct deposit {sum}\nEnding balance {sum}",
        "Credit card statement\nPrevious balance {sum}\nTransactions\n{date} card payment {sum}\nCredits {sum}\n"
        "New balance {sum}\nInterest {sum}",
    ],
    "lease": [
        "TENANCY CONTRACT\nbetween {firm} as lessor and {name} as lessee\nThe dwelling at 9 Quay Street\n"
        "Rent payment of {sum} is due monthly\nUtilities are paid by the lessee\nMove-in {date}",
        "Commercial Lease\nLandlord {firm} lets to Tenant {firm} the premises on the ground floor\n"
        "Term of the lease: five years from {date}\nMonthly rent {sum}\nSecurity deposit {sum}",
    ],
    "": [
        "Minutes of the garden club, {date}\nPresent: {name}, {name}\nThe order of the day was read. Tulips were discussed.\n"
        "{name} will email the list.",
        "User manual, model {n}\nPress the green key to start. Do not open the cover.\nTo reset, hold both keys.\n"
        "Contact support with the serial number.",
        "Hi {name},\nlovely to see you on {date}. I will send the photographs in a separate mail.\nBest, {name}",
    ],
}
